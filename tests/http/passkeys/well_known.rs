//! The documents that browsers and password managers look for.

use crate::support::passkeys::{ORIGIN, site};
use crate::support::{Account, memory_users};
use axum::Router;
use axum_auth_module::config::{AuthConfigBuilder, ConfigError, RelyingParty};
use axum_auth_module::testing::{self, MemoryPasskeys};
use axum_auth_module::{AuthConfig, AuthModule};
use serde_json::{Value, json};

fn module(site: Option<RelyingParty>) -> Result<AuthModule<Account>, ConfigError> {
    let config = testing::config();
    let config: AuthConfig = site.into_iter().fold(config, AuthConfigBuilder::relying_party).build()?;
    AuthModule::builder(config, memory_users()).passkeys(MemoryPasskeys::new()).build()
}

async fn get(site: RelyingParty, path: &str) -> (u16, Value) {
    let address = crate::support::serve(Router::new().merge(module(Some(site)).unwrap().well_known())).await;
    let answer = reqwest::get(format!("http://{address}{path}")).await.unwrap();
    let status = answer.status().as_u16();
    (status, answer.json().await.unwrap_or_default())
}

#[tokio::test]
async fn the_documents_are_there_if_there_is_something_in_them() {
    let related = site().related_origins(["https://example.de"]).unwrap();
    let expected = json!({ "origins": [ORIGIN, "https://example.de"] });
    assert_eq!(get(related, "/.well-known/webauthn").await, (200, expected));
    assert_eq!(get(site(), "/.well-known/webauthn").await.0, 404);
    let page = "https://example.com/passkeys";
    let with_pages = site().enroll_page(page).unwrap().manage_page(page).unwrap();
    let expected = json!({ "enroll": page, "manage": page });
    assert_eq!(get(with_pages, "/.well-known/passkey-endpoints").await, (200, expected));
    assert_eq!(get(site(), "/.well-known/passkey-endpoints").await.0, 404);
}

#[test]
fn without_a_relying_party_the_module_says_what_to_write() {
    let error = module(None).err().unwrap().to_string();
    assert!(
        error.contains("relying_party: PASSKEYS needs it: set `relying_party(RelyingParty::new("),
        "{error}"
    );
    assert!(error.contains("AUTH_PASSKEY_RP_ID"), "{error}");
}
