//! What a page does with passkeys. The authenticator is [`SoftPasskey`], which hosts have for their tests, too.

use super::answer::Answer;
use super::authenticator::Enrolled;
use super::{App, Call};
use axum_auth_module::config::RelyingParty;
use axum_auth_module::testing::SoftPasskey;
use serde_json::{Value, json};

/// The origin of the pages of the tests' hosts.
pub(crate) const ORIGIN: &str = "https://shop.example.com";

/// The relying party of the tests' hosts.
pub(crate) fn site() -> RelyingParty {
    RelyingParty::new("example.com", "Example", [ORIGIN]).unwrap()
}

/// A synced passkey in a browser that shows a page of the host.
pub(crate) fn passkey() -> SoftPasskey {
    SoftPasskey::on(ORIGIN)
}

/// What a page sends back after it has asked for a passkey.
pub(crate) fn proof(begun: &Value, credential: Value) -> Value {
    json!({ "flowToken": begun["flowToken"], "credential": credential })
}

/// A user with a second factor and this passkey.
pub(crate) async fn with_second_factor(app: &App, email: &str, passkey: &mut SoftPasskey) -> Enrolled {
    let enrolled = app.enrolled(email).await;
    app.verify_address(email);
    app.confirm_password(&enrolled.tokens.access).await;
    app.add_passkey(&enrolled.tokens.access, passkey).await;
    enrolled
}

impl App {
    /// The options of this path, with the flow token.
    pub(crate) async fn passkey_options(&self, path: &str, access: Option<&str>) -> Value {
        let call = self.get(path);
        access.into_iter().fold(call, Call::bearer).await.expect(200).body
    }

    /// What a page sends to add this passkey.
    pub(crate) async fn new_passkey(&self, access: &str, passkey: &mut SoftPasskey) -> Value {
        let begun = self.passkey_options("/auth/user/passkeys/options", Some(access)).await;
        proof(&begun, passkey.register(&begun["options"]))
    }

    /// Adds a passkey in a session with a recent confirmation.
    pub(crate) async fn add_passkey(&self, access: &str, passkey: &mut SoftPasskey) -> Value {
        let body = self.new_passkey(access, passkey).await;
        self.post("/auth/user/passkeys").bearer(access).json(&body).await.expect(201).body
    }

    /// What a page sends to sign in with this passkey.
    pub(crate) async fn passkey_proof(&self, passkey: &mut SoftPasskey) -> Value {
        let begun = self.passkey_options("/auth/passkeys/login/options", None).await;
        proof(&begun, passkey.sign_in(&begun["options"]))
    }

    pub(crate) fn passkey_login(&self, body: &Value) -> Call {
        self.post("/auth/passkeys/login").json(body)
    }

    /// Signs in with this passkey.
    pub(crate) async fn sign_in_with(&self, passkey: &mut SoftPasskey) -> Answer {
        let body = self.passkey_proof(passkey).await;
        self.passkey_login(&body).await
    }

    /// The passkeys of the session's user.
    pub(crate) async fn passkeys(&self, access: &str) -> Value {
        self.get("/auth/user/passkeys").bearer(access).await.expect(200).body
    }
}
