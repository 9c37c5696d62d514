//! Properties of the derive for any struct.

mod mistakes;
mod records;

use super::derive;
use super::role::{OPTIONAL, Role};
use crate::testing::{Report, flat, garbage, replaced, reports};
use mistakes::{Mistake, mistake};
use proc_macro2::TokenStream;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use records::{right, types};

fn words() -> Vec<&'static str> {
    Role::words().collect()
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

/// Whether the role is one of the nine.
fn is_required(role: &str) -> bool {
    OPTIONAL.iter().all(|optional| optional.word != role)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Each role has its field, in any order.
    #[test]
    fn a_right_struct_is_mapped_without_an_error(record in right()) {
        let (expansion, reports) = errors(&record.text());
        prop_assert!(reports.is_empty(), "{reports:?}");
        let expansion = expansion.to_string();
        for field in record.fields.iter().filter(|field| field.role.is_some_and(is_required)) {
            let (role, name) = (field.role.unwrap(), field.name.trim_start_matches("r#"));
            let getter = expansion.split(&format!("fn {role} (& self)")).nth(1).unwrap();
            let reads = format!("& self . {}", field.name);
            let place = getter.find(&reads).map(|place| place + reads.len());
            // The getter's first use of a field is of this one.
            let is_read = place.is_some_and(|place| {
                getter.find("& self . ") == Some(place - reads.len()) && getter.get(place..).is_some_and(|rest| rest.starts_with([' ', ')']))
            });
            let variant = Role::by_word(role).unwrap().change();
            let renames = expansion.contains(&format!("UserField :: {variant} , \"{name}\")"));
            prop_assert!(is_read, "{role} is not {name}: {expansion}");
            prop_assert_eq!(renames, role != name, "{} is not {}: {}", role, name, expansion);
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

    /// The error points at the whole wrong type, and the type to write instead is correct.
    #[test]
    fn the_type_to_write_instead_of_a_wrong_one_is_right(
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

    /// Up to an unfinished word of an attribute the expansion is the same, whatever else is wrong. Editors find the cursor by
    /// that.
    #[test]
    fn an_editor_finds_its_place(
        mut record in right(),
        mistake in mistake(),
        place in any::<Index>(),
        (cursor, typed) in (any::<Index>(), any::<Index>()),
    ) {
        mistake.make(&mut record, place);
        let text = record.text();
        // None of them is known above the struct.
        let fields = text.find('{').unwrap();
        let claim = |word: &'static str| {
            let claim = text.rfind(&format!("#[auth({word})]")).filter(|claim| *claim > fields)?;
            Some((word, claim + "#[auth(".len()))
        };
        let claims: Vec<_> = words().into_iter().filter_map(claim).collect();
        prop_assume!(!claims.is_empty());
        let (word, begin) = claims[cursor.index(claims.len())];
        let rest = begin + 1 + typed.index(word.len())..begin + word.len();
        let (begun, completed) = (replaced(&text, rest.clone(), ""), replaced(&text, rest, "Marker"));
        let (begun, completed) = (flat(errors(&begun).0), flat(errors(&completed).0));
        let found = completed.iter().position(|token| token.ends_with("Marker")).unwrap();
        prop_assert_eq!(&begun[..found], &completed[..found], "{}", text);
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

    /// No tokens in the attributes of any type make the derive panic.
    #[test]
    fn garbage_in_attributes_does_not_panic(
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
