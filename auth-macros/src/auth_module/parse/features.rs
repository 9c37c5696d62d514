//! Reads the value of `features`. The words are looked up later.

use super::input::{FeatureEntry, FeatureList};
use super::key_values::report_no_comma;
use super::tokens::{up_to_comma, within};
use crate::errors::Errors;
use proc_macro2::Group;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Expr, Ident, LitStr, Path, Token, token};

/// Reads the list. `expr` reads the value of `enabled`.
pub(super) fn features(
    input: ParseStream<'_>,
    expr: &mut dyn FnMut(ParseStream<'_>) -> syn::Result<Expr>,
    errors: &mut Errors,
) -> syn::Result<FeatureList> {
    let begins_enabled =
        input.peek2(token::Paren) && input.fork().call(Ident::parse_any).is_ok_and(|word| word == "enabled");
    let enabled = if begins_enabled { enabled(input, expr, errors)? } else { None };
    let within_alone = input.peek(Ident::peek_any) && input.peek2(token::Bracket);
    if within_alone && input.fork().call(Ident::parse_any)? == "within" {
        errors.report(
            input.call(Ident::parse_any)?.span(),
            "`within` must follow `enabled(…)`\n\n\
             help: remove `within`, or write `enabled(settings.features) within [REGISTRATION, …]`",
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
    within(brackets, errors, |stream, errors| list = entries(stream, errors));
    Ok(FeatureList { entries: list, enabled })
}

/// Reads `enabled(…) within`.
fn enabled(
    input: ParseStream<'_>,
    expr: &mut dyn FnMut(ParseStream<'_>) -> syn::Result<Expr>,
    errors: &mut Errors,
) -> syn::Result<Option<(Ident, Expr)>> {
    let word = input.call(Ident::parse_any)?;
    let parentheses = input.parse::<Group>()?;
    if !input.peek(Ident::peek_any) || input.call(Ident::parse_any)? != "within" {
        let message = "`enabled(…)` needs a list of features\n\n\
                       help: write `within [REGISTRATION, …]` after the parentheses, with every feature that may be \
                       enabled";
        return Err(syn::Error::new(word.span(), message));
    }
    if parentheses.stream().is_empty() {
        errors.report(word.span(), "`enabled` has no value\n\nhelp: write `enabled(settings.features)`");
        return Ok(None);
    }
    let mut value = None;
    within(parentheses, errors, |stream, errors| match expr(stream) {
        Ok(_) if !stream.is_empty() => {
            errors.report(stream.span(), "expected one value for `enabled`\n\nhelp: remove what follows it");
        }
        Ok(set) => value = Some(set),
        Err(error) => errors.absorb(error),
    });
    Ok(value.map(|value| (word, value)))
}

/// Reads the words between the brackets.
fn entries(input: ParseStream<'_>, errors: &mut Errors) -> Vec<FeatureEntry> {
    let mut entries = Vec::new();
    while !input.is_empty() {
        let place = input.span();
        match entry(input) {
            Some(entry) => entries.push(entry),
            None => {
                errors.report(
                    place,
                    "expected a feature here\n\nhelp: remove this, or write a feature such as `REGISTRATION`",
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
    entries
}

/// Reads a feature, however a host may write it: `REGISTRATION`, `Feature::REGISTRATION`, `"registration"`.
fn entry(input: ParseStream<'_>) -> Option<FeatureEntry> {
    if input.peek(LitStr) {
        let quoted: LitStr = input.parse().ok()?;
        let (written, span) = (quoted.value(), quoted.span());
        return Some(FeatureEntry { written, span, tokens: quoted.into_token_stream(), bare: None });
    }
    let path = input.call(Path::parse_mod_style).ok()?;
    let last = &path.segments.last()?.ident;
    let (written, span) = (last.to_string(), last.span());
    Some(FeatureEntry { written, span, bare: path.get_ident().cloned(), tokens: path.into_token_stream() })
}
