//! Where generated code finds `auth`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};

/// The path to the library, in front of everything that generated code names.
///
/// It is `::axum_auth_module` for a derive, unless `#[auth(crate = path)]` says otherwise, and `$crate` for `auth_module!`,
/// whose `macro_rules!` shell knows the right path even in a host that renames the dependency.
#[derive(Clone, Debug)]
pub(crate) struct CratePath(TokenStream);

impl CratePath {
    /// The path as the host, or the shell, wrote it.
    pub(crate) fn new(path: impl ToTokens) -> Self {
        Self(path.into_token_stream())
    }

    /// Where the path is: in the shell, and so at the host's call of it.
    pub(crate) fn place(&self) -> Span {
        self.0.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span())
    }

    /// The same path, for the compiler to show in this place. What it resolves to stays as it is.
    pub(crate) fn at(&self, place: Span) -> Self {
        let moved = self.0.clone().into_iter().map(|mut token| {
            token.set_span(token.span().located_at(place));
            token
        });
        Self(moved.collect())
    }
}

impl Default for CratePath {
    fn default() -> Self {
        Self(quote!(::axum_auth_module))
    }
}

impl ToTokens for CratePath {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.to_tokens(tokens);
    }
}
