//! What the written form of a type says for certain about it.

use quote::ToTokens;
use syn::{GenericArgument, Generics, PathArguments, PathSegment, Type, TypePath};

/// A type as the host wrote it.
pub(crate) struct TypeShape<'a> {
    /// How many `Option`s are around it.
    pub(crate) nulls: usize,
    pub(crate) is_borrowed: bool,
    /// The type without these.
    pub(crate) core: &'a Type,
    /// The kind of the core, or `None` if only the compiler knows it: a type of the host, an alias, a parameter.
    pub(crate) kind: Option<Kind>,
}

/// A kind of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// `Box<str>`, `Arc<str>`, `Cow<'static, str>`: texts that do not implement `FromStr`.
    SharedText,
    /// `str`, which is behind a reference.
    BareText,
    Number,
    Flag,
    Letter,
    /// Several values: bytes, lists, sets, maps, tuples, and the empty one.
    Several,
    Time,
    TimeWithoutZone,
    DateWithoutTime,
    /// A time that only this process can compare.
    Tick,
}

/// What the last word of a path means where nothing stands behind it in angle brackets.
const WORDS: [(Kind, &[&str]); 9] = [
    (Kind::Text, &["String"]),
    (Kind::BareText, &["str"]),
    (
        Kind::Number,
        &[
            "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32",
            "f64",
        ],
    ),
    (Kind::Flag, &["bool"]),
    (Kind::Letter, &["char"]),
    (Kind::Time, &["SystemTime", "OffsetDateTime", "UtcDateTime", "Timestamp", "Zoned"]),
    (Kind::TimeWithoutZone, &["NaiveDateTime", "PrimitiveDateTime"]),
    (Kind::DateWithoutTime, &["NaiveDate"]),
    (Kind::Tick, &["Instant"]),
];

/// The words before angle brackets that hold several values, whichever.
const SEVERAL: [&str; 6] = ["Vec", "VecDeque", "HashSet", "BTreeSet", "HashMap", "BTreeMap"];

/// The words before angle brackets that share a text.
const SHARED: [&str; 4] = ["Box", "Arc", "Rc", "Cow"];

/// The zones of chrono whose `DateTime` comes from a `SystemTime`.
const ZONES: [&str; 2] = ["Utc", "Local"];

impl<'a> TypeShape<'a> {
    /// Takes `Option`s and references off. A name that is a parameter of the struct means that parameter.
    pub(crate) fn of(ty: &'a Type, generics: &Generics) -> Self {
        let mut written = Self { nulls: 0, is_borrowed: false, core: ty, kind: None };
        loop {
            written.core = match written.core {
                Type::Paren(inside) => &inside.elem,
                Type::Group(inside) => &inside.elem,
                Type::Reference(reference) => {
                    written.is_borrowed = true;
                    &reference.elem
                }
                Type::Path(path) => match inside_option(path, generics) {
                    Some(inside) => {
                        written.nulls += 1;
                        inside
                    }
                    None => break,
                },
                _ => break,
            };
        }
        written.kind = kind(written.core, written.is_borrowed, generics);
        written
    }

    /// Whether it is an `Option` of something that has the name of a time, also of one that may be an alias.
    pub(crate) fn is_called_an_optional_time(&self) -> bool {
        let Type::Path(path) = self.core else { return false };
        let is_time = |name: &PathSegment| {
            let times = WORDS.iter().filter(|(kind, _)| matches!(kind, Kind::Time | Kind::TimeWithoutZone));
            name.ident == "DateTime" || times.flat_map(|(_, words)| *words).any(|word| name.ident == word)
        };
        self.nulls == 1 && path.path.segments.last().is_some_and(is_time)
    }
}

fn inside_option<'a>(path: &'a TypePath, generics: &Generics) -> Option<&'a Type> {
    let name = name(path, generics).filter(|name| name.ident == "Option")?;
    argument(name)
}

/// Behind a reference an alias makes no difference: a reference is always wrong.
fn kind(ty: &Type, is_borrowed: bool, generics: &Generics) -> Option<Kind> {
    let path = match ty {
        Type::Array(_) | Type::Slice(_) | Type::Tuple(_) => return Some(Kind::Several),
        Type::Path(path) => path,
        _ => return None,
    };
    let name = name(path, generics).filter(|_| is_borrowed || !may_be_alias(path))?;
    let is_one_of = |words: &[&str]| words.iter().any(|word| name.ident == word);
    if name.arguments.is_none() {
        return WORDS.iter().find(|(_, words)| is_one_of(words)).map(|(kind, _)| *kind);
    }
    let inside = argument(name).and_then(|inside| match inside {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    });
    let holds_one_of =
        |words: &[&str]| inside.is_some_and(|inside| words.iter().any(|word| inside.ident == word));
    match () {
        () if is_one_of(&SEVERAL) => Some(Kind::Several),
        () if is_one_of(&SHARED) && holds_one_of(&["str"]) => Some(Kind::SharedText),
        () if is_one_of(&["DateTime"]) && holds_one_of(&ZONES) => Some(Kind::Time),
        () => None,
    }
}

/// Whether a path is a single name that an alias of the host may have: `type String = …`. No alias has the name of a
/// primitive type.
fn may_be_alias(path: &TypePath) -> bool {
    let is_single = path.path.leading_colon.is_none() && path.path.segments.len() == 1;
    let mut names = path.path.segments.iter().map(|segment| segment.ident.to_string());
    is_single && names.any(|name| name.starts_with(char::is_uppercase))
}

/// The last name of a path that can have its usual meaning: it is no parameter of the struct and nothing in the host's
/// crate.
fn name<'a>(path: &'a TypePath, generics: &Generics) -> Option<&'a PathSegment> {
    let first = &path.path.segments.first()?.ident;
    let is_own = ["crate", "self", "super", "Self"].iter().any(|word| first == word);
    let is_parameter = generics.type_params().any(|parameter| parameter.ident == *first);
    path.path.segments.last().filter(|_| path.qself.is_none() && !is_own && !is_parameter)
}

/// The last type between the angle brackets.
fn argument(name: &PathSegment) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = &name.arguments else { return None };
    match arguments.args.last()? {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }
}

/// A type as it is usually written: `Option<[u8; 60]>`. Tokens have spaces around each.
pub(crate) fn shown(ty: impl ToTokens) -> String {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut text = String::new();
    for part in ty.to_token_stream().to_string().split_whitespace() {
        let begins = part.starts_with(is_word) || part.starts_with(['[', '&', '*', '\'']);
        let are_words = text.ends_with(is_word) && begins;
        let is_next = text.ends_with([',', ';', '+', '='])
            || text.ends_with("->")
            || (text.ends_with(':') && !text.ends_with("::"));
        if are_words || is_next || matches!(part, "+" | "=" | "->" | "as") {
            text.push(' ');
        }
        text.push_str(part);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    /// Options, references, kind and core of a type in a struct with the parameter `T`.
    fn read(ty: &str) -> (usize, bool, Option<Kind>, String) {
        let ty = syn::parse_str(ty).unwrap();
        let written = TypeShape::of(&ty, &parse_quote!(<T, Timestamp>));
        (written.nulls, written.is_borrowed, written.kind, shown(written.core))
    }

    #[test]
    fn what_is_around_a_type_is_taken_off() {
        assert_eq!(read("Option<Option<String>>"), (2, false, None, "String".to_owned()));
        assert_eq!(
            read("std::option::Option<&'static str>"),
            (1, true, Some(Kind::BareText), "str".to_owned())
        );
        assert_eq!(read("(i64)"), (0, false, Some(Kind::Number), "i64".to_owned()));
        assert_eq!(read("Option<T>"), (1, false, None, "T".to_owned()));
    }

    #[test]
    fn a_type_is_known_by_its_last_word() {
        let kind = |ty| read(ty).2;
        assert_eq!(kind("std::time::SystemTime"), Some(Kind::Time));
        assert_eq!(kind("sqlx::types::chrono::DateTime<chrono::Utc>"), Some(Kind::Time));
        assert_eq!(kind("std::string::String"), Some(Kind::Text));
        assert_eq!(kind("std::borrow::Cow<'static, str>"), Some(Kind::SharedText));
        assert_eq!(kind("std::collections::HashMap<String, T>"), Some(Kind::Several));
        assert_eq!(kind("[T; 3]"), Some(Kind::Several));
        assert_eq!(kind("()"), Some(Kind::Several));
    }

    /// A type of the host, a parameter or an alias is left to the compiler.
    #[test]
    fn a_name_that_may_have_another_meaning_is_not_known() {
        let own = [
            "Timestamp",
            "String",
            "SystemTime",
            "DateTime<Utc>",
            "Vec<u8>",
            "T::SystemTime",
            "crate::String",
            "self::time::Instant",
            "super::NaiveDate",
            "AccountId",
            "<T as Typed>::String",
            "String<64>",
            "DateTime",
            "DateTime<FixedOffset>",
            "Box<T>",
            "Option",
            "fn() -> i64",
            "text!(a)",
        ];
        for ty in own {
            assert_eq!(read(ty).2, None, "{ty}");
        }
    }

    #[test]
    fn a_type_is_shown_as_it_is_usually_written() {
        let types = [
            "Option<DateTime<Utc>>",
            "&'static str",
            "[u8; 60]",
            "Box<dyn Fn(&str, T) -> T + Send>",
            "()",
            "<T as Typed>::Id",
            "Cow<'static, str>",
            "&'static [u8]",
            "Option<&'a &'b mut *const u8>",
            "std::rc::Rc<T>",
            "fn(u8) -> !",
        ];
        for ty in types {
            assert_eq!(shown(ty.parse::<proc_macro2::TokenStream>().unwrap()), ty);
        }
    }
}
