//! Reads the entries of `#[auth(…)]`.

use super::role::{REQUIRED, Role};
use crate::errors::Errors;
use crate::suggest;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::fmt::Display;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Ident, Meta, Token};

/// The position of an attribute.
#[derive(Clone, Copy)]
pub(crate) enum Position<'a> {
    Struct,
    /// On the field of this name.
    Field(&'a Ident),
}

/// The entries of all `#[auth(…)]`.
pub(crate) fn entries(attributes: &[Attribute], position: Position<'_>, errors: &mut Errors) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (number, attribute) in attributes.iter().filter(|attribute| is_ours(attribute)).enumerate() {
        let list =
            attribute.parse_args_with(Punctuated::<Entry, Token![,]>::parse_terminated).unwrap_or_default();
        if list.is_empty() {
            entries.extend(report_no_role(attribute, position, errors));
        }
        entries.extend(list.into_iter().map(|entry| Entry { attribute: number, ..entry }));
    }
    entries
}

/// rustc rejects `#[Auth(…)]` by itself. Its contents are still read, to avoid follow-up errors.
fn is_ours(attribute: &Attribute) -> bool {
    attribute.path().get_ident().is_some_and(|path| path.to_string().eq_ignore_ascii_case("auth"))
}

/// One entry between the parentheses of `#[auth(…)]`.
pub(crate) struct Entry {
    /// As it is written, with its hyphens.
    pub(crate) name: String,
    /// The tokens after it: `= value` or `(value)`.
    pub(crate) value: Option<TokenStream>,
    /// The number of its attribute.
    pub(crate) attribute: usize,
    tokens: TokenStream,
}

impl Entry {
    /// Its first token.
    pub(crate) fn span(&self) -> Span {
        self.tokens.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span())
    }

    /// Its first part, if that is an identifier.
    pub(crate) fn first(&self) -> Option<Ident> {
        syn::parse2(self.tokens.clone().into_iter().take(1).collect()).ok()
    }

    /// Reports a mistake in it.
    pub(crate) fn report(&self, message: impl Display, errors: &mut Errors) {
        errors.report_all(&self.tokens, message);
    }
}

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let first = input.call(Ident::parse_any)?;
        let (mut name, mut tokens) = (first.to_string(), first.into_token_stream());
        while input.peek(Token![-]) && input.peek2(Ident::peek_any) {
            let (hyphen, part) = (input.parse::<Token![-]>()?, input.call(Ident::parse_any)?);
            name.push_str(&format!("-{part}"));
            tokens.extend([hyphen.into_token_stream(), part.into_token_stream()]);
        }
        let mut value = None;
        if input.parse::<Option<Token![=]>>()?.is_some() || !(input.is_empty() || input.peek(Token![,])) {
            let tokens = value.get_or_insert_with(TokenStream::new);
            while !input.is_empty() && !input.peek(Token![,]) {
                tokens.extend([input.parse::<TokenTree>()?]);
            }
        }
        Ok(Self { name, value, attribute: 0, tokens })
    }
}

/// Proposes the role in quotes, or else the one that is most similar to the field's name. The role counts as given, so that
/// it is not reported as missing too.
fn report_no_role(attribute: &Attribute, position: Position<'_>, errors: &mut Errors) -> Option<Entry> {
    let (quoted, named) = match position {
        Position::Struct => (None, None),
        Position::Field(name) => {
            let quoted = match &attribute.meta {
                Meta::Path(_) => None,
                Meta::List(list) => nearest(&unquoted(&list.tokens)),
                Meta::NameValue(pair) => nearest(&unquoted(&pair.value)),
            };
            (quoted, quoted.or_else(|| named_like(&name.unraw().to_string())))
        }
    };
    let headline = match quoted {
        Some(_) => "a role is written in parentheses, without quotes",
        None if matches!(position, Position::Struct) => "`#[auth]` needs the library's path",
        None => "`#[auth]` needs a role",
    };
    let help = match (position, named) {
        (Position::Struct, _) => "write `#[auth(crate = ::axum_auth_module)]`".to_owned(),
        (Position::Field(_), Some(role)) => format!("write `#[auth({})]`", role.word),
        (Position::Field(_), None) => {
            format!(
                "write a role in parentheses: {}; a field without a role needs no attribute",
                suggest::list(Role::words(), "or")
            )
        }
    };
    let auth = attribute.path();
    errors.report_all(auth, format!("{headline}\n\nhelp: {help}"));
    let name = named?.word.to_owned();
    Some(Entry { name, value: None, attribute: 0, tokens: auth.to_token_stream() })
}

/// The word in `"email"` or `("email")`.
pub(crate) fn unquoted(value: &impl ToTokens) -> String {
    value.to_token_stream().to_string().trim_matches(['(', '"', ')']).to_owned()
}

/// The role of a field of this name. Only the required roles can be missing, so only they are guessed.
fn named_like(name: &str) -> Option<&'static Role> {
    let required = REQUIRED.iter().map(|role| role.word);
    Role::by_word(name).or_else(|| suggest::nearest(name, required).and_then(Role::by_word))
}

fn nearest(word: &str) -> Option<&'static Role> {
    suggest::nearest(word, Role::words()).and_then(Role::by_word)
}
