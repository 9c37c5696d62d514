//! What the tests of both macros look at expansions with.

use proc_macro2::{TokenStream, TokenTree};

/// The input, and below it its expansion as formatted Rust. `file` makes a file out of the expansion.
pub(crate) fn snapshot(
    input: &str,
    expand: fn(TokenStream) -> TokenStream,
    file: fn(TokenStream) -> TokenStream,
) -> String {
    let expansion = file(expand(input.parse().unwrap()));
    let formatted = prettyplease::unparse(&syn::parse2(expansion).unwrap());
    format!("// A host writes:\n{}\n\n// It becomes:\n{}", input.trim(), formatted.trim())
}

/// The messages of all errors in an expansion, one below the other.
pub(crate) fn messages(expansion: TokenStream) -> String {
    let mut messages = Vec::new();
    collect(expansion, &mut messages);
    messages.join("\n----\n")
}

fn collect(expansion: TokenStream, messages: &mut Vec<String>) {
    let mut is_error = false;
    for token in expansion {
        match token {
            TokenTree::Ident(ident) => is_error = ident == "compile_error",
            TokenTree::Group(group) if is_error => {
                messages.push(syn::parse2::<syn::LitStr>(group.stream()).unwrap().value());
                is_error = false;
            }
            TokenTree::Group(group) => collect(group.stream(), messages),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Every input that comes of this one when a token is left out or written twice, at any depth.
pub(crate) fn slips(input: &str) -> Vec<TokenStream> {
    let tokens: Vec<TokenTree> = input.parse::<TokenStream>().unwrap().into_iter().collect();
    let mut slips = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        let (before, after) = (&tokens[..place], &tokens[place + 1..]);
        let mut with =
            |middle: &[TokenTree]| slips.push([before, middle, after].concat().into_iter().collect());
        with(&[]);
        with(&[token.clone(), token.clone()]);
        if let TokenTree::Group(group) = token {
            for inner in self::slips(&group.stream().to_string()) {
                with(&[proc_macro2::Group::new(group.delimiter(), inner).into()]);
            }
        }
    }
    slips
}
