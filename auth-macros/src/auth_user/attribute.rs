//! Reads the words of `#[auth(…)]`.

use super::role::Role;
use crate::errors::Errors;
use crate::suggest;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::fmt::Display;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Ident, Meta, Token};

/// Where an attribute stands.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    Struct,
    /// On the field of this name.
    Field(&'a Ident),
}

/// The words of all attributes that are ours.
pub(crate) fn words(attributes: &[Attribute], place: Place<'_>, errors: &mut Errors) -> Vec<Word> {
    let mut words = Vec::new();
    for (number, attribute) in attributes.iter().filter(|attribute| is_ours(attribute)).enumerate() {
        let list =
            attribute.parse_args_with(Punctuated::<Word, Token![,]>::parse_terminated).unwrap_or_default();
        if list.is_empty() {
            words.extend(report_no_word(attribute, place, errors));
        }
        words.extend(list.into_iter().map(|word| Word { attribute: number, ..word }));
    }
    words
}

/// `#[Auth(…)]` is there for nobody, which the compiler says. What stands in it counts, so that nothing follows.
fn is_ours(attribute: &Attribute) -> bool {
    attribute.path().get_ident().is_some_and(|path| path.to_string().eq_ignore_ascii_case("auth"))
}

/// One entry between the parentheses of `#[auth(…)]`.
pub(crate) struct Word {
    /// As it is written, with its hyphens.
    pub(crate) name: String,
    /// What follows it: `= value` or `(value)`.
    pub(crate) value: Option<TokenStream>,
    /// In which of the attributes it stands.
    pub(crate) attribute: usize,
    tokens: TokenStream,
}

impl Word {
    /// Where it begins.
    pub(crate) fn span(&self) -> Span {
        self.tokens.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span())
    }

    /// Its first part, if that can be a name.
    pub(crate) fn first(&self) -> Option<Ident> {
        syn::parse2(self.tokens.clone().into_iter().take(1).collect()).ok()
    }

    /// Says that something is wrong with it.
    pub(crate) fn report(&self, message: impl Display, errors: &mut Errors) {
        errors.absorb(syn::Error::new_spanned(&self.tokens, message));
    }
}

impl Parse for Word {
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

/// Proposes the word that is between quotes, or else the one that is most like the field's name. The word counts, so
/// that its role is not reported as missing as well.
fn report_no_word(attribute: &Attribute, place: Place<'_>, errors: &mut Errors) -> Option<Word> {
    let (quoted, named) = match place {
        Place::Struct => (None, None),
        Place::Field(name) => {
            let quoted = match &attribute.meta {
                Meta::Path(_) => None,
                Meta::List(list) => nearest(&unquoted(&list.tokens)),
                Meta::NameValue(pair) => nearest(&unquoted(&pair.value)),
            };
            (quoted, quoted.or_else(|| nearest(&name.unraw().to_string())))
        }
    };
    let headline = match quoted {
        Some(_) => "a role stands between parentheses, without quotes",
        None => "`#[auth]` needs a word",
    };
    let help = match (place, named) {
        (Place::Struct, _) => "write `#[auth(crate = ::axum_auth_module)]`".to_owned(),
        (Place::Field(_), Some(role)) => format!("write `#[auth({})]`", role.word),
        (Place::Field(_), None) => {
            format!(
                "write a role in parentheses: {}; a field of your own needs no attribute",
                suggest::list(Role::words(), "or")
            )
        }
    };
    let auth = attribute.path();
    errors.absorb(syn::Error::new_spanned(auth, format!("{headline}\n\nhelp: {help}")));
    let name = named?.word.to_owned();
    Some(Word { name, value: None, attribute: 0, tokens: auth.to_token_stream() })
}

/// The word in `"email"` or `("email")`.
pub(crate) fn unquoted(value: &impl ToTokens) -> String {
    value.to_token_stream().to_string().trim_matches(['(', '"', ')']).to_owned()
}

fn nearest(word: &str) -> Option<&'static Role> {
    suggest::nearest(word, Role::words()).and_then(Role::by_word)
}
