//! The message for `auth_module! {}`, which has no word to point at.

use super::vocabulary::Key;
use crate::crate_path::{LIBRARY, name_in_host};
use proc_macro2::{Literal, TokenStream};
use quote::ToTokens;

/// The message as a literal, for the `compile_error!` of the library: there the error points at the host's call.
pub(crate) fn message() -> TokenStream {
    Literal::string(&text(&name_in_host())).into_token_stream()
}

fn text(library: &str) -> String {
    let mut lines = String::new();
    for (word, value) in [
        ("config", Key::Config.example()),
        ("features", "[REGISTRATION]"),
        ("user_repo", Key::UserRepo.example()),
        ("actions", Key::Actions.example()),
    ] {
        lines += &format!("\n    {word}: {value},");
    }
    format!("this module is empty\n\nhelp: write in it:{lines}").replace(LIBRARY, library)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::messages;
    use quote::quote;

    /// The lines to write are a module without a mistake.
    #[test]
    fn the_help_is_a_correct_module() {
        let text = text("login");
        assert!(text.contains("login::StandardActions"), "{text}");
        let (_, lines) = text.split_once("write in it:").unwrap();
        let lines: TokenStream = lines.parse().unwrap();
        assert_eq!(messages(crate::auth_module::assemble(quote!((::login) #lines))), "");
    }
}
