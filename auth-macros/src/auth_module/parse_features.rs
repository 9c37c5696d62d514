//! Reads the value of `features`. Which features its words name is not decided here.

use super::beside::up_to_comma;
use super::pairs::report_no_comma;
use super::parse::within;
use crate::errors::Errors;
use proc_macro2::{Group, Span, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Expr, Ident, LitStr, Path, Token, token};

/// `[WORD, …]`, or `enabled(…) within [WORD, …]`.
pub(crate) struct Features {
    pub(crate) words: Vec<FeatureWord>,
    /// The word `enabled`, and what stands in its parentheses.
    pub(crate) enabled: Option<(Ident, Expr)>,
}

/// An entry of the list, as it was written.
pub(crate) struct FeatureWord {
    pub(crate) written: String,
    pub(crate) span: Span,
    /// All of it, for what is said of more than the word.
    pub(crate) entry: TokenStream,
    /// The entry when it is one bare word, not quoted and without a path.
    pub(crate) bare: Option<Ident>,
}

/// Reads the list. `expr` reads what decides.
pub(crate) fn features(
    input: ParseStream<'_>,
    expr: &mut dyn FnMut(ParseStream<'_>) -> syn::Result<Expr>,
    errors: &mut Errors,
) -> syn::Result<Features> {
    let begins_enabled =
        input.peek2(token::Paren) && input.fork().call(Ident::parse_any).is_ok_and(|word| word == "enabled");
    let enabled = if begins_enabled { enabled(input, expr, errors)? } else { None };
    let within_alone = input.peek(Ident::peek_any) && input.peek2(token::Bracket);
    if within_alone && input.fork().call(Ident::parse_any)? == "within" {
        errors.report(
            input.call(Ident::parse_any)?.span(),
            "`within` stands behind `enabled(…)`, which says what answers of the list\n\n\
             help: leave it out, or write `enabled(settings.features) within [REGISTRATION, …]`",
        );
    }
    if !input.peek(token::Bracket) {
        return Err(input.error(
            "expected a list of features\n\n\
             help: write `[REGISTRATION, …]`, or `enabled(…) within [REGISTRATION, …]` to decide at start-up",
        ));
    }
    let brackets = input.parse::<Group>()?;
    let mut list = Vec::new();
    within(brackets, errors, |stream, errors| list = words(stream, errors));
    Ok(Features { words: list, enabled })
}

/// `enabled(…) within`
fn enabled(
    input: ParseStream<'_>,
    expr: &mut dyn FnMut(ParseStream<'_>) -> syn::Result<Expr>,
    errors: &mut Errors,
) -> syn::Result<Option<(Ident, Expr)>> {
    let word = input.call(Ident::parse_any)?;
    let decides = input.parse::<Group>()?;
    if !input.peek(Ident::peek_any) || input.call(Ident::parse_any)? != "within" {
        let message = "what may be enabled is not said\n\n\
                       help: write `within [REGISTRATION, …]` behind the parentheses, with all that the module is \
                       built with";
        return Err(syn::Error::new(word.span(), message));
    }
    if decides.stream().is_empty() {
        errors.report(word.span(), "`enabled` has no value\n\nhelp: write `enabled(settings.features)`");
        return Ok(None);
    }
    let mut value = None;
    within(decides, errors, |stream, errors| match expr(stream) {
        Ok(_) if !stream.is_empty() => errors
            .report(stream.span(), "expected one value for `enabled`\n\nhelp: leave out what follows it"),
        Ok(decides) => value = Some(decides),
        Err(error) => errors.absorb(error),
    });
    Ok(value.map(|value| (word, value)))
}

/// The words between the brackets.
fn words(input: ParseStream<'_>, errors: &mut Errors) -> Vec<FeatureWord> {
    let mut words = Vec::new();
    while !input.is_empty() {
        let place = input.span();
        match word(input) {
            Some(word) => words.push(word),
            None => {
                errors.report(
                    place,
                    "expected a feature here\n\n\
                     help: leave it out, or write a feature's word, such as `REGISTRATION`",
                );
                up_to_comma(input);
            }
        }
        if input.is_empty() || input.peek(Token![,]) {
            let _: syn::Result<Option<Token![,]>> = input.parse();
        } else if input.peek(Ident::peek_any) || input.peek(LitStr) {
            report_no_comma(input, true, errors);
        } else {
            report_no_comma(input, false, errors);
            up_to_comma(input);
        }
    }
    words
}

/// A feature in whatever way a host may write it: `REGISTRATION`, `Feature::REGISTRATION`, `"registration"`.
fn word(input: ParseStream<'_>) -> Option<FeatureWord> {
    if input.peek(LitStr) {
        let quoted: LitStr = input.parse().ok()?;
        let (written, span) = (quoted.value(), quoted.span());
        return Some(FeatureWord { written, span, entry: quoted.into_token_stream(), bare: None });
    }
    let path = input.call(Path::parse_mod_style).ok()?;
    let last = &path.segments.last()?.ident;
    let (written, span) = (last.to_string(), last.span());
    Some(FeatureWord { written, span, bare: path.get_ident().cloned(), entry: path.into_token_stream() })
}
