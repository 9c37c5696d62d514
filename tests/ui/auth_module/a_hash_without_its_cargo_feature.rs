//! Argon2id belongs to a cargo feature that is not enabled.

use axum_auth_module::config::{AuthConfigBuilder, PasswordHash};

fn configured(config: AuthConfigBuilder) -> AuthConfigBuilder {
    config.password_hash(PasswordHash::Argon2id)
}

fn main() {
    let _ = configured;
}
