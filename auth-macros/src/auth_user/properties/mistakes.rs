//! What can be wrong with a struct, one thing at a time.

use super::super::role::REQUIRED;
use super::records::{Field, Record, types};
use super::words;
use crate::testing::misspelled;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// One thing that can be wrong with a struct.
#[derive(Clone, Debug)]
pub(super) enum Mistake {
    /// No field has one of these roles.
    Omitted(Vec<&'static str>),
    /// Two more fields have this role.
    Doubled(&'static str),
    /// A field of the host's own has this attribute, which is wrong anywhere on a field, and counts as this role.
    OnField(String, Option<&'static str>),
    /// The struct has this attribute, which is wrong above a struct.
    OnStruct(String),
    /// The field of this role has this type, which cannot hold it.
    Mistyped(&'static str, &'static str),
    /// The struct borrows, with this many fields.
    Borrowed(usize),
}

pub(super) fn mistake() -> impl Strategy<Value = Mistake> {
    let required: Vec<_> = REQUIRED.iter().map(|role| role.word).collect();
    let role = || select(words());
    prop_oneof![
        prop::sample::subsequence(required.clone(), 1..9).prop_map(Mistake::Omitted),
        role().prop_map(Mistake::Doubled),
        misspelled(words()).prop_map(|(role, word)| Mistake::OnField(format!("#[auth({word})]"), Some(role))),
        (role(), role())
            .prop_map(|(one, other)| Mistake::OnField(format!("#[auth({one}, {other})]"), Some(one))),
        role().prop_map(|word| Mistake::OnField(format!("#[auth({word} = \"value\")]"), Some(word))),
        select(vec!["#[auth]", "#[auth()]", "#[auth = \"yes\"]", "#[auth(5)]", "#[auth(crate = auth)]"])
            .prop_map(|attribute| Mistake::OnField(attribute.to_owned(), None)),
        (
            role(),
            select(vec![
                "#[auth = \"ROLE\"]",
                "#[auth(\"ROLE\")]",
                "#[auth = ROLE]",
                "#[auth(rename = \"ROLE\")]"
            ])
        )
            .prop_map(|(role, text)| Mistake::OnField(text.replace("ROLE", role), Some(role))),
        select(words().into_iter().filter(|word| word.contains('_')).collect::<Vec<_>>())
            .prop_map(|word| Mistake::OnField(format!("#[auth({})]", word.replace('_', "-")), Some(word))),
        role().prop_map(|word| Mistake::OnStruct(format!("#[auth({word})]"))),
        select(vec!["#[auth]", "#[auth(table = 1)]", "#[auth(crate)]", "#[auth(crate = \"auth\")]"])
            .prop_map(|attribute| Mistake::OnStruct(attribute.to_owned())),
        select(required)
            .prop_flat_map(|role| (Just(role), select(types(role).1)))
            .prop_map(|(role, ty)| Mistake::Mistyped(role, ty)),
        (0usize..3).prop_map(Mistake::Borrowed),
    ]
}

impl Mistake {
    /// How many errors it is. A role that a field claims as well has two fields then, which is one more.
    pub(super) fn errors(&self, record: &Record) -> usize {
        let role = match self {
            Self::Doubled(role) | Self::OnField(_, Some(role)) => role,
            Self::OnField(_, None) | Self::OnStruct(_) | Self::Omitted(_) | Self::Mistyped(..) => return 1,
            Self::Borrowed(fields) => return 1 + fields,
        };
        let claim = format!("#[auth({role})]");
        1 + usize::from(record.fields.iter().any(|field| field.attributes.contains(&claim)))
    }

    /// Makes it in a struct without another one.
    pub(super) fn make(self, record: &mut Record, place: Index) {
        let mut insert = |field: Field| {
            let place = place.index(record.fields.len() + 1);
            record.fields.insert(place, field);
        };
        match self {
            Self::Omitted(roles) => {
                let gone = |field: &Field| {
                    let own_name = field.name.trim_start_matches("r#");
                    field.role.is_some_and(|role| roles.contains(&role)) || roles.contains(&own_name)
                };
                record.fields.retain(|field| !gone(field));
            }
            Self::Doubled(role) => {
                insert(Field::fit("one_more", role).with(format!("#[auth({role})]")));
                insert(Field::fit("and_more", role).with(format!("#[auth({role})]")));
            }
            Self::OnField(attribute, Some(role)) => insert(Field::fit("one_more", role).with(attribute)),
            Self::OnField(attribute, None) => insert(Field::own("one_more").with(attribute)),
            Self::OnStruct(attribute) => record.attributes.push(attribute),
            Self::Mistyped(role, ty) => {
                let field = record.fields.iter_mut().find(|field| field.role == Some(role));
                field.into_iter().for_each(|field| field.ty = ty.to_owned());
            }
            Self::Borrowed(fields) => {
                (0..fields).for_each(|number| {
                    insert(Field {
                        ty: "Option<&'a str>".to_owned(),
                        ..Field::own(&format!("borrowed_{number}"))
                    });
                });
                record.generics = "<'a>";
            }
        }
    }
}
