//! Helpers for tokens and groups.

use crate::errors::Errors;
use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::Token;
use syn::parse::discouraged::AnyDelimiter;
use syn::parse::{ParseStream, Parser};

/// Reads the contents of a group to their end. A syntax error at the end is reported at the closing delimiter.
pub(super) fn within(group: Group, errors: &mut Errors, read: impl FnOnce(ParseStream<'_>, &mut Errors)) {
    let result = (|stream: ParseStream<'_>| {
        let (_, _, content) = stream.parse_any_delimiter()?;
        read(&content, errors);
        Ok(())
    })
    .parse2(TokenTree::from(group).into());
    // After an earlier error, unread tokens are no further mistake.
    if let Err(error) = result
        && errors.is_empty()
    {
        errors.absorb(error);
    }
}

/// The tokens as a group whose span is that of the last token. An error at the end then points there, and not at the
/// whole call of the macro.
pub(super) fn grouped(tokens: TokenStream) -> Group {
    let end = match tokens.clone().into_iter().last() {
        Some(TokenTree::Group(group)) => group.span_close(),
        Some(token) => token.span(),
        None => Span::call_site(),
    };
    let mut group = Group::new(Delimiter::Brace, tokens);
    group.set_span(end);
    group
}

/// The tokens of a value, whether or not they are an expression.
pub(super) fn up_to_comma(input: ParseStream<'_>) -> TokenStream {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        let Ok(token) = input.parse::<TokenTree>() else { break };
        tokens.extend([token]);
    }
    tokens
}

/// Whether a value ends here.
pub(super) fn ends(input: ParseStream<'_>) -> bool {
    input.is_empty() || input.peek(Token![,])
}

/// Separates a value that was read from the error of reading it.
pub(super) fn split<T>(read: Option<syn::Result<T>>) -> (Option<T>, syn::Result<()>) {
    match read {
        Some(Ok(value)) => (Some(value), Ok(())),
        Some(Err(error)) => (None, Err(error)),
        None => (None, Ok(())),
    }
}
