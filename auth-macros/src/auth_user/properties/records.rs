//! Structs without a mistake, as text and as what the text is made of.

use super::super::role::{Holds, OPTIONAL, PASSWORD, REQUIRED, Role, USERNAME};
use proptest::prelude::*;
use proptest::sample::select;

/// A struct as it will be written.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) attributes: Vec<String>,
    pub(super) generics: &'static str,
    pub(super) fields: Vec<Field>,
}

/// A field as it will be written.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) attributes: Vec<String>,
    pub(super) name: String,
    pub(super) ty: String,
    /// The role that it is meant to have.
    pub(super) role: Option<&'static str>,
}

impl Record {
    pub(super) fn text(&self) -> String {
        let fields: String = self.fields.iter().map(Field::text).collect();
        format!("{}\nstruct Account{} {{\n{fields}}}", self.attributes.join("\n"), self.generics)
    }
}

impl Field {
    pub(super) fn own(name: &str) -> Self {
        Self { attributes: Vec::new(), name: name.to_owned(), ty: "String".to_owned(), role: None }
    }

    /// One that may have this role.
    pub(super) fn fit(name: &str, role: &str) -> Self {
        let (ty, _) = types(role);
        Self { ty: ty[0].to_owned(), ..Self::own(name) }
    }

    pub(super) fn with(mut self, attribute: String) -> Self {
        self.attributes.push(attribute);
        self
    }

    pub(super) fn text(&self) -> String {
        format!("    {} {}: {},\n", self.attributes.join(" "), self.name, self.ty)
    }
}

/// What only the compiler knows to be right or wrong.
pub(super) const UNKNOWN: [&str; 7] = [
    "T",
    "Box<dyn Fn(&str) -> T + Send>",
    "<A as B>::String",
    "text!(a)",
    "fn(u8) -> !",
    "r#type::r#fn",
    "*const u8",
];

/// Types that hold the role, and types that certainly do not.
pub(super) fn types(role: &str) -> (Vec<&'static str>, Vec<&'static str>) {
    let (right, wrong): (&[_], &[_]) = match Role::by_word(role).unwrap().holds {
        Holds::Id => (
            &["i64", "String", "Uuid"],
            &["Option<i64>", "[u8; 16]", "()", "std::boxed::Box<str>", "&'static str"],
        ),
        Holds::Text if [PASSWORD, USERNAME].contains(&role) => (
            &["String", "Cow<'static, str>", "Option<String>", "Option<T>"],
            &[
                "Option<Option<T>>",
                "Option<std::vec::Vec<u8>>",
                "std::vec::Vec<u8>",
                "[u8; { 1 + 2 }]",
                "&'static str",
            ],
        ),
        Holds::Text | Holds::TextOrNull => (
            &["String", "Cow<'static, str>"],
            &[
                "Option<String>",
                "Option<T>",
                "std::vec::Vec<u8>",
                "(A, B)",
                "char",
                "[u8; { 1 + 2 }]",
                "&'static str",
            ],
        ),
        Holds::NullableText => (
            &["Option<String>", "std::option::Option<Box<str>>", "Option<T>"],
            &[
                "std::string::String",
                "std::sync::Arc<str>",
                "Option<[String; 8]>",
                "bool",
                "Option<Option<T>>",
                "Option<&'static str>",
            ],
        ),
        Holds::NullableTimestamp => (
            &["Option<DateTime<Utc>>", "Option<std::time::SystemTime>", "Option<T>"],
            &[
                "std::time::SystemTime",
                "chrono::DateTime<Utc>",
                "Option<chrono::NaiveDateTime>",
                "i64",
                "Option<bool>",
                "std::string::String",
            ],
        ),
        Holds::Flag => (&["bool"], &["Option<bool>", "Option<T>", "u8", "(A, B)"]),
    };
    (right.to_vec(), wrong.to_vec())
}

/// A type of the host's own field.
pub(super) fn ty() -> impl Strategy<Value = String> {
    select([&UNKNOWN[..], &["i64", "Option<String>", "[u8; { 1 + 2 }]"]].concat()).prop_map(str::to_owned)
}

/// A type that may hold the role.
pub(super) fn type_of(role: &str) -> impl Strategy<Value = String> {
    select([types(role).0, UNKNOWN.to_vec()].concat()).prop_map(str::to_owned)
}

/// The field or the two that a role may have: by name, by attribute, or by attribute beside a field of the host's own
/// that is called like it.
pub(super) fn holders(role: &'static Role) -> impl Strategy<Value = Vec<Field>> {
    let word = role.word;
    (0..4, type_of(word), ty()).prop_map(move |(way, ty, other)| {
        let named = Field { ty, role: Some(word), ..Field::own(word) };
        let claims = format!("#[auth({word})]");
        let renamed = Field { name: format!("my_{word}"), ..named.clone() };
        match way {
            0 => vec![named],
            1 => vec![
                Field { name: format!("r#{word}"), ..named }.with("/// Its documentation.".to_owned() + "\n"),
            ],
            2 => vec![named.with(claims)],
            _ => vec![Field { ty: other, ..Field::own(word) }, renamed.with(claims)],
        }
    })
}

/// A struct without a mistake.
pub(super) fn right() -> impl Strategy<Value = Record> {
    let roles: Vec<_> = REQUIRED.iter().map(|role| holders(role).boxed()).collect();
    let optional = |role: &'static Role| {
        prop::option::of(type_of(role.word).prop_map(|ty| Field {
            ty,
            role: Some(role.word),
            ..Field::own(&format!("own_{}", role.word)).with(format!("#[auth({})]", role.word))
        }))
    };
    let optional: Vec<_> = OPTIONAL.iter().map(|role| optional(role).boxed()).collect();
    let own = prop::collection::vec(ty(), 0..3);
    let fields = (roles, optional, own).prop_map(|(roles, optional, own)| {
        let own = own
            .into_iter()
            .enumerate()
            .map(|(number, ty)| Field { ty, ..Field::own(&format!("own_{number}")) });
        roles.into_iter().flatten().chain(optional.into_iter().flatten()).chain(own).collect::<Vec<_>>()
    });
    let attributes = select(vec!["", "#[auth(crate = crate::vendored::auth)]", "#[derive(Clone)]"])
        .prop_map(|attribute| vec![attribute.to_owned()]);
    let generics = select(vec!["", "<T>", "<T: Default, const N: usize = 3>"]);
    (attributes, generics, fields.prop_shuffle()).prop_map(|(attributes, generics, fields)| Record {
        attributes,
        generics,
        fields,
    })
}
