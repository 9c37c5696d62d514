//! The cases: one change to a valid credential each.

mod authentications;
mod client_data;
mod credentials;
mod keys;
mod registrations;

use crate::change::Change;
use axum_auth_module::testing::SoftPasskey;
use serde_json::Value;
use std::rc::Rc;

const ORIGIN: &str = crate::host::ORIGINS[0];

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ceremony {
    Registration,
    Authentication,
}

impl Ceremony {
    const BOTH: [Self; 2] = [Self::Registration, Self::Authentication];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Registration => "registration",
            Self::Authentication => "authentication",
        }
    }
}

pub(crate) struct Case {
    name: String,
    pub(crate) ceremony: Ceremony,
    pub(crate) passkey: SoftPasskey,
    /// Whether the host requires user verification.
    pub(crate) user_verification: bool,
    /// How the registration differs from a usual one, before an authentication.
    pub(crate) before: Change,
    pub(crate) change: Change,
}

impl Case {
    fn new(ceremony: Ceremony, name: &str, change: Change) -> Self {
        Self {
            name: name.to_owned(),
            ceremony,
            passkey: SoftPasskey::on(ORIGIN),
            user_verification: true,
            before: Change::Nothing,
            change,
        }
    }

    fn of(self, passkey: SoftPasskey) -> Self {
        Self { passkey, ..self }
    }

    fn before(self, before: Change) -> Self {
        Self { before, ..self }
    }

    fn with_verification_preferred(self) -> Self {
        Self { user_verification: false, ..self }
    }

    /// The name, which begins with the ceremony.
    pub(crate) fn name(&self) -> String {
        format!("{}/{}", self.ceremony.name(), self.name)
    }
}

/// All cases.
pub(crate) fn all(rsa: &[u8]) -> Vec<Case> {
    let mut cases = valid(rsa);
    cases.extend(client_data::cases());
    cases.extend(credentials::cases());
    cases.extend(registrations::cases());
    cases.extend(keys::cases());
    cases.extend(authentications::cases());
    cases
}

/// What all implementations accept.
fn valid(rsa: &[u8]) -> Vec<Case> {
    Ceremony::BOTH
        .into_iter()
        .flat_map(|ceremony| {
            let case = |name, passkey| Case::new(ceremony, name, Change::Nothing).of(passkey);
            let unverified = || SoftPasskey::on(ORIGIN).without_user_verification();
            [
                case("valid-es256", SoftPasskey::on(ORIGIN)),
                case("valid-eddsa", SoftPasskey::on(ORIGIN).with_ed25519()),
                case("valid-rs256", SoftPasskey::on(ORIGIN).with_rsa(rsa)),
                case("valid-counting", SoftPasskey::on(ORIGIN).counting_from(7)),
                case("valid-second-origin", SoftPasskey::on(crate::host::ORIGINS[1])),
                case("valid-android-app", SoftPasskey::on(crate::host::ORIGINS[2])),
                case("valid-user-verification-preferred", unverified()).with_verification_preferred(),
            ]
        })
        .collect()
}

/// The case in both ceremonies.
fn both(name: &str, change: &Change) -> [Case; 2] {
    Ceremony::BOTH.map(|ceremony| Case::new(ceremony, name, change.clone()))
}

fn in_authenticator_data(alter: impl Fn(&mut Vec<u8>) + 'static) -> Change {
    Change::AuthenticatorData(Rc::new(alter))
}

fn in_client_data(alter: impl Fn(&mut Vec<u8>) + 'static) -> Change {
    Change::ClientData(Rc::new(alter))
}

fn in_credential(alter: impl Fn(&mut Value) + 'static) -> Change {
    Change::Credential(Rc::new(alter))
}
