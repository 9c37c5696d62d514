//! Ada's passkey, another one that she could add, and what the routes have asked them for. The clock stands still and the store
//! is always the same, so every input can answer the same options.

use super::{ADA, Host, PASSWORD, now, text};
use axum_auth_module::testing::SoftPasskey;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

pub const RELYING_PARTY: &str = "example.com";
pub const ORIGIN: &str = "https://example.com";

/// Where the key begins in the authenticator data of a new passkey with an id of 32 bytes.
const KEY: usize = 37 + 16 + 2 + 32;

/// What a route asks for.
#[derive(Clone, Default)]
pub struct Begun {
    pub options: Value,
    flow_token: String,
}

impl Begun {
    /// What a page sends back.
    pub fn body(&self, credential: Value) -> Value {
        json!({ "flowToken": self.flow_token, "credential": credential })
    }

    pub fn challenge(&self) -> &str {
        self.options["challenge"].as_str().unwrap()
    }
}

pub struct Passkeys {
    /// Ada has it.
    pub added: SoftPasskey,
    /// Nobody has it yet.
    pub new: SoftPasskey,
    pub login: Begun,
    pub addition: Begun,
}

impl Default for Passkeys {
    fn default() -> Self {
        let (added, new) = (SoftPasskey::on(ORIGIN), SoftPasskey::on(ORIGIN));
        Self { added, new, login: Begun::default(), addition: Begun::default() }
    }
}

impl Host {
    fn begun(&self, path: &str, access: &str) -> Begun {
        let begun = self.get(path, "authorization", &format!("Bearer {access}")).json();
        Begun { options: begun["options"].clone(), flow_token: text(&begun, "flowToken") }
    }

    /// Adds Ada's passkey, for which she confirms her password in this session and needs a verified address; neither counts any more
    /// then. Names what it and the other one would send.
    pub(super) fn add_passkeys(&self, access: &str) -> Vec<(&'static str, Vec<u8>)> {
        let mut passkeys = self.passkeys.borrow_mut();
        self.tables.rows().user(ADA).email_verified_at = Some(now());
        self.post("/bearer/user/confirm-password", Some(access), &json!({ "password": PASSWORD }));
        let begun = self.begun("/bearer/user/passkeys/options", access);
        let body = begun.body(passkeys.added.register(&begun.options));
        let added = self.post("/bearer/user/passkeys", Some(access), &body).json();
        let addition = self.begun("/bearer/user/passkeys/options", access);
        let confirmation = self.begun("/bearer/user/confirm-passkey/options", access);
        let login = self.begun("/bearer/passkeys/login/options", access);
        {
            let mut rows = self.tables.rows();
            let ada = rows.user(ADA);
            (ada.email_verified_at, ada.password_confirmed_at) = (None, None);
        }

        let mut data = Vec::new();
        let new = passkeys.new.register_altered(&addition.options, |_, made| data.clone_from(made));
        let object = URL_SAFE_NO_PAD.decode(text(&new["response"], "attestationObject")).unwrap();
        let proof = passkeys.added.sign_in(&login.options).to_string();
        let confirm_proof = passkeys.added.sign_in(&confirmation.options).to_string();
        let named = [
            ("passkey_id", text(&added, "id")),
            ("passkey_flow", login.flow_token.clone()),
            ("passkey_challenge", login.challenge().to_owned()),
            ("passkey_proof", proof),
            ("confirm_flow", confirmation.flow_token),
            ("confirm_proof", confirm_proof),
            ("new_passkey_flow", addition.flow_token.clone()),
            ("new_passkey_challenge", addition.challenge().to_owned()),
            ("new_passkey", new.to_string()),
        ];
        let named = named.into_iter().map(|(name, text)| (name, text.into_bytes()));
        let bytes = [
            ("new_id", data[KEY - 32..KEY].to_vec()),
            ("new_key", data[KEY..].to_vec()),
            ("new_data", data),
            ("new_object", object),
        ];
        (passkeys.login, passkeys.addition) = (login, addition);
        named.chain(bytes).collect()
    }
}
