//! What a provider says about an address, with every JSON type, for each kind of provider.

use super::native;
use super::site::{Offer, Preset, Site};
use crate::support::EMAIL;
use crate::support::provider::{Auth, Internet, Person};
use crate::support::routers::on_both_routers;
use serde_json::{Value, json};

on_both_routers![
    an_address_that_is_none_proves_nothing_at_any_provider,
    a_proof_that_is_not_true_is_none_at_any_provider,
    an_address_that_is_none_is_not_shown,
];

const TENANT: &str = "6babcaad-604b-40ac-a9d7-9fd97c0b779f";

/// A kind of provider, and the claim or member with which it proves an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    OpenId,
    UserInfo,
    Google,
    Microsoft,
    GitHub,
    OAuth2,
    Apple,
}

impl Kind {
    const ALL: [Self; 7] = [
        Self::OpenId,
        Self::UserInfo,
        Self::Google,
        Self::Microsoft,
        Self::GitHub,
        Self::OAuth2,
        Self::Apple,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::OpenId | Self::UserInfo => "acme",
            Self::Google => "google",
            Self::Microsoft => "microsoft",
            Self::GitHub => "github",
            Self::OAuth2 => "forge",
            Self::Apple => "apple",
        }
    }

    fn offer(self, net: &Internet) -> Offer {
        let (preset, provider) = match self {
            Self::OpenId | Self::UserInfo => (Preset::OpenId, net.openid("https://acme.example")),
            Self::Google => (Preset::Google(Vec::new()), net.openid("https://accounts.google.com")),
            Self::Microsoft => {
                let issuer = format!("https://login.microsoftonline.com/{TENANT}/v2.0");
                (Preset::Microsoft(TENANT), net.openid(&issuer))
            }
            Self::GitHub => (Preset::GitHub, net.github()),
            Self::OAuth2 => (Preset::OAuth2, net.oauth2("https://forge.example")),
            Self::Apple => (Preset::AppleNative, net.openid("https://appleid.apple.com")),
        };
        match self {
            Self::UserInfo => provider.keeps_the_address_in_userinfo(),
            Self::Microsoft => provider.expects(Auth::Post),
            _ => {}
        }
        Offer::of(self.name(), preset, provider)
    }

    /// A host with this provider, and an account with Ada's address.
    async fn site(self) -> Site {
        let site = Site::planned(|net| vec![self.offer(net)], Default::default()).await;
        site.user(EMAIL).await;
        site
    }

    /// Somebody with this address, and this in the place where the provider proves it.
    fn person(self, email: Value, proof: Value) -> Person {
        let mut person = Person::new("stranger", "");
        person.email = email;
        match self {
            Self::Microsoft if proof.is_null() => person,
            Self::Microsoft => person.with_claim("xms_edov", proof),
            Self::GitHub => Person { subject: 7.into(), ..person.saying(proof) },
            _ => person.saying(proof),
        }
    }

    /// The status and the code with which this person is refused.
    async fn refuses(self, site: &Site, person: &Person, status: u16, code: &str) {
        if self != Self::Apple {
            site.sign_in(self.name(), person).await.refused(status, code);
            return;
        }
        let (visitor, apple) = (site.visitor(), site.provider("apple"));
        let (nonce, flow) = native::nonce(&visitor, "apple").await;
        let token = apple.id_token(person, &nonce, apple.client_id());
        native::sign_in_at("apple", &visitor, &flow, &token).await.refused(status, code);
    }
}

/// What is in the place of an address and is none.
fn no_addresses() -> Vec<Value> {
    vec![
        Value::Null,
        json!(true),
        json!(7),
        json!(7.5),
        json!([EMAIL]),
        json!({ "address": EMAIL }),
        json!([[[]]]),
        json!(""),
        json!(" "),
        json!("ada"),
        json!("@example.com"),
        json!(format!("{EMAIL}\u{0}")),
        json!(format!("{EMAIL}, eve@example.com")),
        json!(format!("Ada <{EMAIL}>")),
        json!(format!("{}@example.com", "a".repeat(10_000))),
    ]
}

/// The account with the address of the text within is not looked for either: the response would be `account_exists`.
async fn an_address_that_is_none_proves_nothing_at_any_provider() {
    for kind in Kind::ALL {
        let site = kind.site().await;
        for email in no_addresses() {
            let person = kind.person(email, true.into());
            kind.refuses(&site, &person, 403, "provider_email_unverified").await;
        }
        kind.refuses(&site, &kind.person(EMAIL.into(), true.into()), 409, "account_exists").await;
        assert_eq!(site.app.users.all().len(), 1, "{kind:?}");
        site.is_in_order();
    }
}

async fn a_proof_that_is_not_true_is_none_at_any_provider() {
    let proofs = [
        Value::Null,
        json!(false),
        json!("false"),
        json!(0),
        json!("0"),
        json!(1),
        json!("1"),
        json!(-1),
        json!(1.5),
        json!("true"),
        json!("True"),
        json!("TRUE "),
        json!("yes"),
        json!(""),
        json!([]),
        json!([true]),
        json!({}),
        json!({ "true": true }),
        json!("true".repeat(2500)),
    ];
    for kind in Kind::ALL {
        let also: &[Value] = match kind {
            Kind::Apple => &[json!("true")],
            Kind::Microsoft => &[json!("true"), json!("1"), json!(1)],
            _ => &[],
        };
        let site = kind.site().await;
        for proof in &proofs {
            let (status, code) = match also.contains(proof) {
                true => (409, "account_exists"),
                false => (403, "provider_email_unverified"),
            };
            kind.refuses(&site, &kind.person(EMAIL.into(), proof.clone()), status, code).await;
        }
        kind.refuses(&site, &kind.person(EMAIL.into(), true.into()), 409, "account_exists").await;
    }
}

async fn an_address_that_is_none_is_not_shown() {
    for kind in [Kind::OpenId, Kind::UserInfo, Kind::GitHub, Kind::OAuth2] {
        let site = kind.site().await;
        let tokens = site.app.login(EMAIL).await;
        site.app.confirm_password(&tokens.access).await;
        let visitor = site.visitor().with(&tokens);
        // Each sign-in replaces the address of the one before.
        let first = visitor.link(&site, kind.name(), &kind.person(EMAIL.into(), true.into())).await;
        first.linked(201);
        for email in no_addresses() {
            let text = email.to_string();
            site.sign_in(kind.name(), &kind.person(email, true.into())).await.signed_in();
            let listed = visitor.identities().await;
            assert_eq!((listed.len(), &listed[0]["email"]), (1, &Value::Null), "{kind:?} {text:.80}");
        }
    }
}
