//! The methods of services have one shape of arguments: the session, the input, the client.

use crate::root;
use crate::sources;
use quote::ToTokens;
use std::fs;
use syn::{FnArg, ImplItem, Item, Signature, Visibility};

/// The types of the arguments behind `&self`.
fn types(signature: &Signature) -> Vec<String> {
    let types = signature.inputs.iter().filter_map(|argument| match argument {
        FnArg::Typed(argument) => Some(argument.ty.to_token_stream().to_string()),
        FnArg::Receiver(_) => None,
    });
    types.collect()
}

fn is_session(argument: &str) -> bool {
    argument == "& Identity"
}

/// A client, or a client that gets a session.
fn is_client(argument: &str) -> bool {
    ["ClientAddress", "impl Into < ClientInfo >", "impl Into < Visitor >"].contains(&argument)
}

/// What is wrong with the arguments of a method.
fn wrong(arguments: &[String]) -> bool {
    let inner = match arguments {
        [first, rest @ ..] if is_session(first) => rest,
        all => all,
    };
    let inner = match inner {
        [rest @ .., last] if is_client(last) => rest,
        all => all,
    };
    let names = ["Identity", "ClientAddress", "ClientInfo", "Visitor", "UserRecord", "AuthUser"];
    inner.iter().any(|argument| names.iter().any(|name| argument.contains(name)))
}

#[test]
fn a_service_takes_the_session_first_and_the_client_last() {
    let mut methods = Vec::new();
    for path in sources(&root().join("auth/src/features")) {
        let items = syn::parse_file(&fs::read_to_string(path).unwrap()).unwrap().items;
        for item in items {
            let Item::Impl(item) = item else { continue };
            let service = item.self_ty.to_token_stream().to_string();
            if item.trait_.is_some() || !service.ends_with("Service") {
                continue;
            }
            methods.extend(item.items.into_iter().filter_map(|member| match member {
                ImplItem::Fn(member) if matches!(member.vis, Visibility::Public(_)) => {
                    Some((format!("{service}::{}", member.sig.ident), types(&member.sig)))
                }
                _ => None,
            }));
        }
    }
    let found: Vec<_> = methods.iter().filter(|(_, arguments)| wrong(arguments)).collect();
    assert!(methods.len() >= 20 && found.is_empty(), "{} methods, of which {found:?}", methods.len());
}

#[test]
fn another_shape_is_found() {
    let is_wrong =
        |arguments: &[&str]| wrong(&arguments.iter().map(|&text| text.to_owned()).collect::<Vec<_>>());
    assert!(
        !is_wrong(&["& Identity", "& str", "ClientAddress"])
            && !is_wrong(&["& str", "impl Into < Visitor >"])
    );
    for shape in
        [&["& dyn UserRecord"][..], &["ClientAddress", "& str"], &["& str", "& Identity"], &["Visitor"]]
    {
        assert!(is_wrong(shape), "{shape:?}");
    }
}
