//! `docs/guide/service-tokens.md`

use axum_auth_module::config::{ConfigError, ServiceKeys};

/// `pem` is the text of `service-key.pem`.
pub fn service_keys(pem: &str) -> Result<ServiceKeys, ConfigError> {
    Ok(ServiceKeys::ed25519_pem(pem)?.issuer("https://app.example").audiences(["billing", "search"]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roles::Account;
    use axum::Router;
    use axum_auth_module::repository::UserRepository;
    use axum_auth_module::testing::{self, Client, MemoryUsers, login_as};
    use axum_auth_module::user::NewUser;
    use axum_auth_module::{AuthModule, auth_module};
    use serde_json::{Value, json};

    fn module(users: MemoryUsers<Account>, pem: &str) -> Result<AuthModule<Account>, ConfigError> {
        Ok(auth_module! {
            config: testing::config().build()?,
            features: [SERVICE_TOKENS],
            user_repo: users,
            service_keys: service_keys(pem)?,
        })
    }

    #[tokio::test]
    async fn a_session_gets_a_token_for_a_service_that_exists() {
        let pem = ServiceKeys::new_ed25519_pem().unwrap();
        let users = MemoryUsers::<Account>::default();
        let auth = module(users.clone(), &pem).unwrap();
        let ada = users.create(NewUser::new("Ada", "ada@example.com", "")).await.unwrap();
        let app = Router::new().nest("/auth", auth.router()).merge(auth.well_known());
        let tokens = login_as(&auth, &ada).tokens().await.unwrap();
        let client = Client::new(app).with_tokens(&tokens);
        let ask = |audience: &str| client.post("/auth/service-token").json(&json!({ "audience": audience }));
        let token: Value = ask("billing").await.expect(200).json();
        assert!(token["token"].is_string() && token["expiresAt"].is_string());
        ask("mail").await.expect(422);
        let keys: Value = client.get("/.well-known/jwks.json").await.expect(200).json();
        assert_eq!(keys["keys"][0]["crv"], "Ed25519");
    }
}
