//! Generated code needs nothing from the host's scope: no prelude, and no standard name with its usual meaning.

#![no_implicit_prelude]

mod vendored {
    pub use ::axum_auth_module as auth;
}

mod records {
    #[derive(::std::clone::Clone, super::vendored::auth::AuthUser)]
    #[auth(crate = super::vendored::auth)]
    pub struct Account {
        pub id: i64,
        pub name: ::std::string::String,
        pub email: ::std::string::String,
        pub password: ::std::string::String,
        pub email_verified_at: ::std::option::Option<::std::time::SystemTime>,
        pub two_factor_secret: ::std::option::Option<::std::string::String>,
        pub two_factor_recovery_codes: ::std::option::Option<::std::string::String>,
        pub two_factor_confirmed_at: ::std::option::Option<::std::time::SystemTime>,
        pub password_confirmed_at: ::std::option::Option<::std::time::SystemTime>,
    }

    #[allow(dead_code, non_camel_case_types)]
    mod taken {
        pub(super) struct Option;
        pub(super) struct Result;
        pub(super) struct bool;
        pub(super) struct str;
    }
    #[allow(unused_imports)]
    use taken::{Option, Result, bool, str};
}

fn host<R>(config: ::axum_auth_module::AuthConfig, users: R) -> ::axum_auth_module::AuthModule<records::Account>
where
    R: ::axum_auth_module::repository::UserRepository<User = records::Account>,
{
    // The host's own `builder`, `actions` and `delivery` are not the macro's.
    let (builder, actions, delivery) = (users, ::axum_auth_module::StandardActions, ::axum_auth_module::InResponse);
    vendored::auth::auth_module! {
        config: config,
        features: [REGISTRATION, RESET_PASSWORDS, EMAIL_VERIFICATION],
        user_repo: builder,
        password_reset_repo: ::axum_auth_module::testing::MemoryPasswordResets::new(),
        actions: actions,
        delivery: delivery,
    }
}

pub(crate) fn main() {
    let _ = host::<::axum_auth_module::testing::MemoryUsers<records::Account>>;
}
