//! How to use the library, page by page.
//!
//! Each page's code is compiled and run by the tests of the repository.
//!
//! # In the repository
//!
//! The pages here are those of `docs/guide` in the repository. A link from one of them to another document of the repository leads to
//! this list:
//!
//! * `docs/reference.md`: endpoints, options, limits, events, error codes
//! * `docs/specification.md`: every rule, numbered
//! * `docs/errors.md`: every message of the compiler, with what to do
//! * `docs/passwords.md`, `docs/adapters.md`, `docs/operations.md`, `docs/asvs.md`
//! * `examples/`: complete hosts, each with tests
//! * `CHANGELOG.md`, `SECURITY.md`

/// A module for each page. The code of the pages is in `examples/guide`, which the tests compile: it is no test of rustdoc.
macro_rules! pages {
    ($($name:ident: $file:literal,)*) => {
        $(
            #[cfg(not(doctest))]
            // Of two definitions of a link the first one counts: these lead to the modules, and those at the end of a page to files.
            #[doc = include_str!("guide/links.md")]
            #[doc = include_str!(concat!("../guide/", $file))]
            pub mod $name {}
        )*
    };
}

pages! {
    actions: "actions.md",
    api_tokens: "api-tokens.md",
    browsers: "browsers.md",
    captchas: "captchas.md",
    service_tokens: "service-tokens.md",
    changes_of_the_address: "changes-of-the-address.md",
    deleting_accounts: "deleting-accounts.md",
    deploying: "deploying.md",
    existing_user_table: "existing-user-table.md",
    from_axum_login: "from-axum-login.md",
    from_devise: "from-devise.md",
    from_laravel_fortify: "from-laravel-fortify.md",
    from_nestbolt: "from-nestbolt.md",
    getting_started: "getting-started.md",
    invitations: "invitations.md",
    languages: "languages.md",
    mails: "mails.md",
    more_than_a_password: "more-than-a-password.md",
    pages_with_forms: "pages-with-forms.md",
    passkeys: "passkeys.md",
    roles: "roles.md",
    sessions_and_stores: "sessions-and-stores.md",
    several_user_types: "several-user-types.md",
    sign_in_by_mail: "sign-in-by-mail.md",
    sign_in_with_a_provider: "sign-in-with-a-provider.md",
    support_desk: "support-desk.md",
    testing: "testing.md",
    two_factor: "two-factor.md",
    upgrading: "upgrading.md",
    user_names: "user-names.md",
}
