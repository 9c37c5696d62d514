//! The library's name in the host: in generated code and in messages.
//!
//! Generated code names the library by a path that the compiler resolves. For `auth_module!` this is `$crate`, which is right
//! even if the host renames the dependency. `$crate` cannot be shown to a person, and the derive has none, so messages and the
//! derive take the name from the arguments of the running compiler: cargo passes each dependency as
//! `--extern NAME=…/libaxum_auth_module-….rmeta`. `#[auth(crate = path)]` gives the derive another path.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use std::path::Path;

/// The library's own name, which most hosts use.
pub(crate) const LIBRARY: &str = "axum_auth_module";

/// The path to the library, in front of every name in generated code.
#[derive(Clone, Debug)]
pub(crate) struct CratePath(TokenStream);

impl CratePath {
    /// The path as the host wrote it, or as the `macro_rules!` around `auth_module!` did.
    pub(crate) fn new(path: impl ToTokens) -> Self {
        Self(path.into_token_stream())
    }

    /// The path for the derive: the library by the name that the host gives it.
    pub(crate) fn in_host() -> Self {
        Self::named(&name_in_host())
    }

    fn named(name: &str) -> Self {
        syn::parse_str::<Ident>(name).map(|name| Self(quote!(::#name))).unwrap_or_default()
    }

    /// The place of the path: that of the call of `auth_module!`.
    pub(crate) fn place(&self) -> Span {
        self.0.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span())
    }

    /// The same path, shown by the compiler in this place. It resolves as before.
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

/// The host's name for the library, as far as the compiler's arguments tell. Editors expand macros in a process that has
/// none; then it is [`LIBRARY`].
pub(crate) fn name_in_host() -> String {
    name_in(std::env::args()).unwrap_or_else(|| LIBRARY.to_owned())
}

/// The name of the library in the arguments of a compiler: [`LIBRARY`] if the host uses it, otherwise the first other name.
fn name_in(arguments: impl IntoIterator<Item = String>) -> Option<String> {
    let mut arguments = arguments.into_iter();
    let mut names = Vec::new();
    while let Some(argument) = arguments.next() {
        let value = match argument.strip_prefix("--extern=") {
            Some(value) => value.to_owned(),
            None if argument == "--extern" => arguments.next()?,
            None => continue,
        };
        names.extend(name_of_library(&value));
    }
    let own = names.iter().position(|name| name == LIBRARY).unwrap_or(0);
    (own < names.len()).then(|| names.swap_remove(own))
}

/// The name in `NAME=path`, if the path is the library's. Options may precede the name: `priv:NAME=path`.
fn name_of_library(value: &str) -> Option<String> {
    let (name, path) = value.split_once('=')?;
    let file = Path::new(path).file_stem()?.to_str()?;
    let library = file.strip_prefix("lib")?;
    let library = library.split_once('-').map_or(library, |(library, _)| library);
    (library == LIBRARY).then(|| name.rsplit(':').next().unwrap_or(name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(arguments: &[&str]) -> Option<String> {
        name_in(arguments.iter().map(|argument| (*argument).to_owned()))
    }

    #[test]
    fn the_derive_uses_the_name_of_the_host() {
        assert_eq!(CratePath::named("login").0.to_string(), ":: login");
        assert_eq!(CratePath::named("no name").0.to_string(), ":: axum_auth_module");
    }

    #[test]
    fn a_renamed_dependency_is_found_in_the_arguments() {
        let arguments = [
            "rustc",
            "--crate-name",
            "host",
            "--extern",
            "axum=/target/debug/deps/libaxum-0123456789abcdef.rmeta",
            "--extern",
            "login=/target/debug/deps/libaxum_auth_module-0123456789abcdef.rmeta",
            "-L",
            "dependency=/target/debug/deps",
        ];
        assert_eq!(name(&arguments).as_deref(), Some("login"));
        assert_eq!(name(&["--extern=login=libaxum_auth_module.rlib"]).as_deref(), Some("login"));
        assert_eq!(name(&["--extern", "priv:login=libaxum_auth_module.rlib"]).as_deref(), Some("login"));
    }

    #[test]
    fn the_own_name_is_preferred() {
        let arguments = [
            "--extern",
            "login=/libaxum_auth_module-1.rlib",
            "--extern",
            "axum_auth_module=/libaxum_auth_module-1.rlib",
        ];
        assert_eq!(name(&arguments).as_deref(), Some(LIBRARY));
    }

    #[test]
    fn other_dependencies_have_no_name_for_it() {
        assert_eq!(name(&[]), None);
        assert_eq!(name(&["--extern"]), None);
        assert_eq!(name(&["--extern", "axum_auth_module"]), None);
        assert_eq!(name(&["--extern", "macros=/libaxum_auth_module_macros-1.so"]), None);
        assert_eq!(name(&["login=/libaxum_auth_module-1.rlib"]), None);
    }
}
