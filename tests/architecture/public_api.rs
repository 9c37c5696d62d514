//! What hosts can name, read from the sources: public types can get new fields and variants.

use crate::{root, sources};
use std::fs;
use syn::{Attribute, Fields, Item, Meta, Visibility};

/// Types that hosts write and match with all their fields, and always may: `CurrentUser(user): CurrentUser<Account>`.
const COMPLETE: &[&str] = &["ConfirmedUser", "CurrentUser", "PageUser", "VerifiedUser", "WithBody"];

/// Every item of the library with its file, without tests and without what is there for generated code.
fn items() -> Vec<(String, Item)> {
    let base = root().join("auth/src");
    let mut found = Vec::new();
    for path in sources(&base) {
        let file = path.strip_prefix(&base).unwrap().to_str().unwrap().to_owned();
        if file.ends_with("tests.rs") || file.contains("tests/") || file.starts_with("private") {
            continue;
        }
        let parsed = syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap();
        let mut waiting = parsed.items;
        while let Some(item) = waiting.pop() {
            match item {
                Item::Mod(module) if is_test(&module.attrs) => {}
                Item::Mod(module) if module.content.is_some() => waiting.extend(module.content.unwrap().1),
                item => found.push((file.clone(), item)),
            }
        }
    }
    found
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}

/// Whether an item is public and in the documentation. The lint `unreachable_pub` makes sure that hosts reach what is `pub`.
fn is_public(visibility: &Visibility, attributes: &[Attribute]) -> bool {
    let hidden = attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("doc") && list.tokens.to_string() == "hidden",
        _ => false,
    });
    matches!(visibility, Visibility::Public(_)) && !hidden
}

#[test]
fn public_types_can_get_fields_and_variants() {
    let can_grow = |attributes: &[Attribute], fields: &[&Fields]| {
        let private =
            |fields: &&Fields| fields.iter().any(|field| !matches!(field.vis, Visibility::Public(_)));
        attributes.iter().any(|attribute| attribute.path().is_ident("non_exhaustive"))
            || fields.iter().any(private)
    };
    let closed = items().into_iter().filter_map(|(file, item)| {
        let (name, closed) = match &item {
            // A unit struct is its only value.
            Item::Struct(item) if is_public(&item.vis, &item.attrs) && !item.fields.is_empty() => {
                (&item.ident, !can_grow(&item.attrs, &[&item.fields]))
            }
            Item::Enum(item) if is_public(&item.vis, &item.attrs) => {
                (&item.ident, !can_grow(&item.attrs, &[]))
            }
            _ => return None,
        };
        (closed && !COMPLETE.contains(&&*name.to_string())).then(|| format!("{file}: {name}"))
    });
    let closed: Vec<_> = closed.collect();
    assert!(closed.is_empty(), "add #[non_exhaustive], and a constructor for hosts:\n{}", closed.join("\n"));
}
