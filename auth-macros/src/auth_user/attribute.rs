//! Reads the words of `#[auth(…)]`.

use super::role::Role;
use crate::errors::Errors;
use crate::suggest;
use proc_macro2::{Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Ident, Token};

/// One entry between the parentheses of `#[auth(…)]`.
pub(crate) struct Word {
    pub(crate) name: Ident,
    /// What follows it: `= value` or `(value)`.
    pub(crate) value: Option<TokenStream>,
}

impl Parse for Word {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.call(Ident::parse_any)?;
        let mut value = None;
        if input.parse::<Option<Token![=]>>()?.is_some() || !(input.is_empty() || input.peek(Token![,])) {
            let tokens = value.get_or_insert_with(TokenStream::new);
            while !input.is_empty() && !input.peek(Token![,]) {
                tokens.extend([input.parse::<TokenTree>()?]);
            }
        }
        Ok(Self { name, value })
    }
}

/// Where an attribute stands.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Struct,
    Field,
}

/// The words of all attributes that are ours.
pub(crate) fn words(attributes: &[Attribute], place: Place, errors: &mut Errors) -> Vec<Word> {
    let mut words = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("auth")) {
        let list =
            attribute.parse_args_with(Punctuated::<Word, Token![,]>::parse_terminated).unwrap_or_default();
        if list.is_empty() {
            report_no_word(attribute, place, errors);
        }
        words.extend(list);
    }
    words
}

fn report_no_word(attribute: &Attribute, place: Place, errors: &mut Errors) {
    let help = match place {
        Place::Struct => "write `#[auth(crate = path)]`".to_owned(),
        Place::Field => {
            format!("write `#[auth(role)]`, where the roles are {}", suggest::list(Role::words(), "and"))
        }
    };
    let span = attribute.path().get_ident().map_or_else(Span::call_site, Ident::span);
    errors.report(span, format!("`#[auth]` needs a word\n\nhelp: {help}"));
}
