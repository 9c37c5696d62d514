//! The tables of `migrations`, as `diesel print-schema` writes them.

diesel::table! {
    accounts (id) {
        id -> BigInt,
        name -> Text,
        email -> Text,
        password -> Text,
        email_verified_at -> Nullable<Timestamptz>,
        two_factor_secret -> Nullable<Text>,
        two_factor_recovery_codes -> Nullable<Text>,
        two_factor_confirmed_at -> Nullable<Timestamptz>,
        password_confirmed_at -> Nullable<Timestamptz>,
        plan -> Text,
    }
}

diesel::table! {
    reset_tokens (email) {
        email -> Text,
        hash -> Text,
        created_at -> BigInt,
    }
}

diesel::table! {
    sessions (id) {
        id -> Text,
        user_id -> Text,
        kind -> Text,
        state -> Text,
        created_at -> BigInt,
        last_used_at -> BigInt,
        expires_at -> BigInt,
        client -> Nullable<Text>,
        user_agent -> Nullable<Text>,
    }
}

diesel::table! {
    entries (key) {
        key -> Text,
        value -> Nullable<Bytea>,
        count -> BigInt,
        ends_at -> BigInt,
    }
}
