//! What holds of the derive whatever the struct.

use super::derive;
use super::role::{Holds, IS_ACTIVE, REQUIRED, Role};
use crate::testing::{Report, garbage, misspelled, reports};
use proc_macro2::TokenStream;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A struct as it will be written.
#[derive(Clone, Debug)]
struct Record {
    attributes: Vec<String>,
    generics: &'static str,
    fields: Vec<Field>,
}

/// A field as it will be written.
#[derive(Clone, Debug)]
struct Field {
    attributes: Vec<String>,
    name: String,
    ty: String,
    /// The role that it is meant to have.
    role: Option<&'static str>,
}

impl Record {
    fn text(&self) -> String {
        let fields: String = self.fields.iter().map(Field::text).collect();
        format!("{}\nstruct Account{} {{\n{fields}}}", self.attributes.join("\n"), self.generics)
    }
}

impl Field {
    fn own(name: &str) -> Self {
        Self { attributes: Vec::new(), name: name.to_owned(), ty: "String".to_owned(), role: None }
    }

    /// One that may have this role.
    fn fit(name: &str, role: &str) -> Self {
        let (ty, _) = types(role);
        Self { ty: ty[0].to_owned(), ..Self::own(name) }
    }

    fn with(mut self, attribute: String) -> Self {
        self.attributes.push(attribute);
        self
    }

    fn text(&self) -> String {
        format!("    {} {}: {},\n", self.attributes.join(" "), self.name, self.ty)
    }
}

fn words() -> Vec<&'static str> {
    Role::words().collect()
}

/// What only the compiler knows to be right or wrong.
const UNKNOWN: [&str; 7] = [
    "T",
    "Box<dyn Fn(&str) -> T + Send>",
    "<A as B>::String",
    "text!(a)",
    "fn(u8) -> !",
    "r#type::r#fn",
    "*const u8",
];

/// Types that hold the role, and types that certainly do not.
fn types(role: &str) -> (Vec<&'static str>, Vec<&'static str>) {
    let (right, wrong): (&[_], &[_]) = match Role::by_word(role).unwrap().holds {
        Holds::Id => {
            (&["i64", "String", "Uuid"], &["Option<i64>", "Vec<u8>", "()", "Box<str>", "&'static str"])
        }
        Holds::Text => (
            &["String", "Cow<'static, str>"],
            &["Option<String>", "Option<T>", "Vec<u8>", "(A, B)", "char", "[u8; { 1 + 2 }]", "&'static str"],
        ),
        Holds::NullableText => (
            &["Option<String>", "std::option::Option<Box<str>>", "Option<T>"],
            &[
                "String",
                "Arc<str>",
                "Option<Vec<String>>",
                "bool",
                "Option<Option<T>>",
                "Option<&'static str>",
            ],
        ),
        Holds::NullableTimestamp => (
            &["Option<DateTime<Utc>>", "Option<std::time::SystemTime>", "Option<T>"],
            &[
                "SystemTime",
                "DateTime<Utc>",
                "Option<chrono::NaiveDateTime>",
                "i64",
                "Option<bool>",
                "String",
            ],
        ),
        Holds::Flag => (&["bool"], &["Option<bool>", "Option<T>", "u8", "String"]),
    };
    (right.to_vec(), wrong.to_vec())
}

/// A type of the host's own field.
fn ty() -> impl Strategy<Value = String> {
    select([&UNKNOWN[..], &["i64", "Option<String>", "[u8; { 1 + 2 }]"]].concat()).prop_map(str::to_owned)
}

/// A type that may hold the role.
fn type_of(role: &str) -> impl Strategy<Value = String> {
    select([types(role).0, UNKNOWN.to_vec()].concat()).prop_map(str::to_owned)
}

/// The field or the two that a role may have: by name, by attribute, or by attribute beside a field of the host's own
/// that is called like it.
fn holders(role: &'static Role) -> impl Strategy<Value = Vec<Field>> {
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
fn right() -> impl Strategy<Value = Record> {
    let roles: Vec<_> = REQUIRED.iter().map(|role| holders(role).boxed()).collect();
    let active = prop::option::of(type_of(IS_ACTIVE.word).prop_map(|ty| Field {
        ty,
        role: Some(IS_ACTIVE.word),
        ..Field::own("active").with("#[auth(is_active)]".to_owned())
    }));
    let own = prop::collection::vec(ty(), 0..3);
    let fields = (roles, active, own).prop_map(|(roles, active, own)| {
        let own = own
            .into_iter()
            .enumerate()
            .map(|(number, ty)| Field { ty, ..Field::own(&format!("own_{number}")) });
        roles.into_iter().flatten().chain(active).chain(own).collect::<Vec<_>>()
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

/// One thing that can be wrong with a struct.
#[derive(Clone, Debug)]
enum Mistake {
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

fn mistake() -> impl Strategy<Value = Mistake> {
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
    fn errors(&self, record: &Record) -> usize {
        let role = match self {
            Self::Doubled(role) | Self::OnField(_, Some(role)) => role,
            Self::OnField(_, None) | Self::OnStruct(_) | Self::Omitted(_) | Self::Mistyped(..) => return 1,
            Self::Borrowed(fields) => return 1 + fields,
        };
        let claim = format!("#[auth({role})]");
        1 + usize::from(record.fields.iter().any(|field| field.attributes.contains(&claim)))
    }

    /// Makes it in a struct without another one.
    fn make(self, record: &mut Record, place: Index) {
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

/// Derives, and checks what holds of every struct: what comes out is items, and errors point into the struct.
fn errors(text: &str) -> (TokenStream, Vec<Report>) {
    let expansion = derive(text.parse().unwrap());
    assert!(syn::parse2::<syn::File>(expansion.clone()).is_ok(), "no items come of\n{text}");
    let reports = reports(expansion.clone());
    for report in &reports {
        assert!(report.is_within(text), "{report:?} points nowhere in\n{text}");
    }
    (expansion, reports)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Each role has the field that is meant, in whatever order they stand.
    #[test]
    fn a_right_struct_is_mapped_without_an_error(record in right()) {
        let (expansion, reports) = errors(&record.text());
        prop_assert!(reports.is_empty(), "{reports:?}");
        let expansion = expansion.to_string();
        for field in record.fields.iter().filter(|field| field.role.is_some_and(|role| role != IS_ACTIVE.word)) {
            let (role, name) = (field.role.unwrap(), field.name.trim_start_matches("r#"));
            prop_assert!(expansion.contains(&format!("{role} : \"{name}\"")), "{role} is not {name}: {expansion}");
        }
    }

    /// One mistake is one error, and nothing follows from it.
    #[test]
    fn a_mistake_is_one_error(mut record in right(), mistake in mistake(), place in any::<Index>()) {
        let count = mistake.errors(&record);
        mistake.make(&mut record, place);
        let (_, reports) = errors(&record.text());
        prop_assert_eq!(reports.len(), count, "{:?}\n{}", reports, record.text());
    }

    /// A type that will not do is pointed at as a whole, and what is to be written in its place does.
    #[test]
    fn a_wrong_type_is_told_what_is_right(
        mut record in right(),
        (role, ty) in select(words()).prop_flat_map(|role| (Just(role), select(types(role).1))),
        place in any::<Index>(),
    ) {
        prop_assume!(record.fields.iter().any(|field| field.role == Some(role)));
        Mistake::Mistyped(role, ty).make(&mut record, place);
        let mut text = record.text();
        let (_, reports) = errors(&text);
        prop_assert_eq!(reports.len(), 1, "{:?}", reports);
        let (place, message) = (reports[0].place.clone().unwrap(), &reports[0].message);
        prop_assert_eq!(text.get(place.clone()), Some(ty));
        let right = message.split("help: write `").nth(1).unwrap().split('`').next().unwrap();
        text.replace_range(place, right);
        prop_assert!(errors(&text).1.is_empty(), "{}\n{}", message, text);
    }

    /// Several mistakes are at least one error, whatever they are.
    #[test]
    fn mistakes_are_errors(
        mut record in right(),
        mistakes in prop::collection::vec((mistake(), any::<Index>()), 2..6),
    ) {
        for (mistake, place) in mistakes {
            mistake.make(&mut record, place);
        }
        let (_, reports) = errors(&record.text());
        prop_assert!(!reports.is_empty(), "{}", record.text());
    }

    /// Words without sense in the attributes of any type never panic.
    #[test]
    fn garbage_in_attributes_is_answered(
        record in right(),
        garbage in prop::collection::vec((garbage(words()), any::<Index>()), 1..6),
        shape in select(vec!["struct", "enum", "union", "tuple"]),
    ) {
        let mut record = record;
        for (tokens, place) in garbage {
            let attribute = format!("#[auth({tokens})]");
            match place.index(record.fields.len() + 1) {
                0 => record.attributes.push(attribute),
                place => record.fields[place - 1].attributes.push(attribute),
            }
        }
        let (text, attributes) = (record.text(), record.attributes.join("\n"));
        let text = match shape {
            "enum" => format!("{attributes}\nenum Account {{ Member {{ {} }} }}", record.fields[0].text()),
            "union" => text.replacen("struct Account", "union Account", 1),
            "tuple" => format!("{attributes}\nstruct Account({} i64);", record.fields[0].attributes.join(" ")),
            _ => text,
        };
        errors(&text);
    }
}
