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
//! * `docs/passwords.md`, `docs/adapters.md`, `docs/operations.md`, `docs/rotation.md`, `docs/scaling.md`, `docs/asvs.md`
//! * `examples/`: complete hosts, each with tests
//! * `CHANGELOG.md`, `SECURITY.md`

/// A module for each page. Its code is in `examples/guide`, or it is a test of rustdoc, which the page of a module is without
/// `#[cfg(not(doctest))]`.
macro_rules! pages {
    ($($(#[$condition:meta])* $name:ident: $file:literal,)*) => {
        $(
            $(#[$condition])*
            // Of two definitions of a link the first one counts: these lead to the modules, and those at the end of a page to files.
            #[doc = include_str!("guide/links.md")]
            #[doc = include_str!(concat!("../guide/", $file))]
            pub mod $name {}
        )*
    };
}

pages! {
    #[cfg(not(doctest))]
    actions: "actions.md",
    #[cfg(not(doctest))]
    browsers: "browsers.md",
    #[cfg(not(doctest))]
    deploying: "deploying.md",
    #[cfg(not(doctest))]
    existing_user_table: "existing-user-table.md",
    #[cfg(not(doctest))]
    from_axum_login: "from-axum-login.md",
    #[cfg(not(doctest))]
    from_devise: "from-devise.md",
    #[cfg(not(doctest))]
    from_laravel_fortify: "from-laravel-fortify.md",
    #[cfg(not(doctest))]
    from_nestbolt: "from-nestbolt.md",
    #[cfg(not(doctest))]
    getting_started: "getting-started.md",
    #[cfg(not(doctest))]
    mails: "mails.md",
    #[cfg(not(doctest))]
    sessions_and_stores: "sessions-and-stores.md",
    #[cfg(not(doctest))]
    several_user_types: "several-user-types.md",
    #[cfg(not(doctest))]
    testing: "testing.md",
    #[cfg(not(doctest))]
    two_factor: "two-factor.md",
    #[cfg(not(doctest))]
    upgrading: "upgrading.md",
}
