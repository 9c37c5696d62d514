//! What hosts can name, read from the sources: public items, and that public types can get new fields and variants.

use crate::{root, sources};
use quote::ToTokens;
use std::collections::BTreeSet;
use std::fs;
use syn::{Attribute, Fields, ImplItem, Item, Meta, TraitItem, Visibility};

/// Types that hosts write and match with all their fields, and always may: `CurrentUser(user): CurrentUser<Account>`.
const COMPLETE: &[&str] = &[
    "Assured",
    "AssuredPageUser",
    "ConfirmedPageUser",
    "ConfirmedUser",
    "CurrentUser",
    "OAuthEndpoints",
    "PageUser",
    "UserOrApi",
    "VerifiedUser",
    "WithBody",
];

/// Every item of the library with its file, without tests and without what is there for generated code.
pub(super) fn items() -> Vec<(String, Item)> {
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
pub(super) fn is_public(visibility: &Visibility, attributes: &[Attribute]) -> bool {
    let hidden = attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("doc") && list.tokens.to_string() == "hidden",
        _ => false,
    });
    matches!(visibility, Visibility::Public(_)) && !hidden
}

/// The names of all public types and traits.
pub(super) fn names(items: &[(String, Item)]) -> BTreeSet<String> {
    let names = items.iter().filter_map(|(_, item)| match item {
        Item::Struct(item) if is_public(&item.vis, &item.attrs) => Some(item.ident.to_string()),
        Item::Enum(item) if is_public(&item.vis, &item.attrs) => Some(item.ident.to_string()),
        Item::Trait(item) if is_public(&item.vis, &item.attrs) => Some(item.ident.to_string()),
        _ => None,
    });
    names.collect()
}

/// What hosts see of an item: signatures without bodies, bounds, and the types of public fields.
pub(super) fn visible(item: &Item, types: &BTreeSet<String>) -> Vec<String> {
    let text = |tokens: &dyn ToTokens| tokens.to_token_stream().to_string();
    let public = |fields: &Fields| -> Vec<String> {
        fields
            .iter()
            .filter(|field| is_public(&field.vis, &field.attrs))
            .map(|field| text(&field.ty))
            .collect()
    };
    match item {
        Item::Fn(item) if is_public(&item.vis, &item.attrs) => vec![text(&item.sig)],
        Item::Type(item) if is_public(&item.vis, &item.attrs) => vec![text(&item.generics), text(&item.ty)],
        Item::Const(item) if is_public(&item.vis, &item.attrs) => vec![text(&item.ty)],
        Item::Use(item) if is_public(&item.vis, &item.attrs) => vec![text(&item.tree)],
        Item::Struct(item) if is_public(&item.vis, &item.attrs) => {
            [public(&item.fields), vec![text(&item.generics)]].concat()
        }
        Item::Enum(item) if is_public(&item.vis, &item.attrs) => {
            item.variants.iter().map(|variant| text(&variant.fields)).collect()
        }
        Item::Trait(item) if is_public(&item.vis, &item.attrs) => {
            let members = item.items.iter().filter_map(|member| match member {
                TraitItem::Fn(member) if is_public(&item.vis, &member.attrs) => Some(text(&member.sig)),
                TraitItem::Type(member) => Some(text(&member.bounds)),
                _ => None,
            });
            members.chain([text(&item.generics), text(&item.supertraits)]).collect()
        }
        Item::Impl(item) => {
            let name = text(&item.self_ty).split(' ').next().unwrap_or_default().to_owned();
            let members = item.items.iter().filter_map(|member| match member {
                ImplItem::Fn(member) if is_public(&member.vis, &member.attrs) => Some(text(&member.sig)),
                ImplItem::Const(member) if is_public(&member.vis, &member.attrs) => Some(text(&member.ty)),
                ImplItem::Type(member) => Some(text(&member.ty)),
                _ => None,
            });
            let implemented = item.trait_.iter().map(|(path, _)| path);
            let is_own = |path: &syn::Path| types.contains(&path.segments.last().unwrap().ident.to_string());
            if !types.contains(&name) && !implemented.clone().any(is_own) {
                return Vec::new();
            }
            members
                .chain(implemented.map(|path| text(path)))
                .chain([text(&item.generics), text(&item.self_ty)])
                .collect()
        }
        _ => Vec::new(),
    }
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
