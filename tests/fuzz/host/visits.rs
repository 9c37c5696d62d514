//! Visits to the providers that have begun, and what an input calls them. The clock stands still, and no input leaves anything behind,
//! so every input can end the same visits.

use super::providers::{
    ACME, APP, APPLE, CLIENT, GITHUB, NUMBER, SUBJECT, claims, header, jwk, metadata, signed, tokens,
};
use super::{ADA, Account, Answer, Host, PASSWORD, now, of, request, text};
use axum_auth_module::AuthUser;
use axum_auth_module::repository::IdentityRecord;
use percent_encoding::percent_decode_str;
use serde_json::json;

/// The flow token, the state and the nonce of a visit. An ID token that an app will get has no state.
pub type Visit = [String; 3];

/// What each visit is called.
const VISITS: [(&str, [&str; 3]); 9] = [
    ("acme", ["acme_flow", "acme_state", "acme_nonce"]),
    ("google", ["google_flow", "google_state", "google_nonce"]),
    ("microsoft", ["microsoft_flow", "microsoft_state", "microsoft_nonce"]),
    ("github", ["github_flow", "github_state", "github_nonce"]),
    ("apple", ["apple_flow", "apple_state", "apple_nonce"]),
    ("native", ["native_flow", "native_state", "native_nonce"]),
    ("link", ["link_flow", "link_state", "link_nonce"]),
    ("confirmation", ["confirmation_flow", "confirmation_state", "confirmation_nonce"]),
    // In a browser the flow token is the whole cookie.
    ("browser", ["flow_cookie", "browser_state", "browser_nonce"]),
];

impl Host {
    /// A visit by its name.
    pub fn visit(&self, name: &str) -> [&str; 3] {
        let (_, parts) = VISITS.iter().find(|(known, _)| *known == name).unwrap();
        parts.map(|part| self.known(part))
    }

    /// Begins all of them. Ada's account is linked to hers at two providers. Linking another one and confirming need a verified
    /// address and a confirmed password; neither counts any more then.
    pub(super) fn visit_providers(&self, access: &str) -> Vec<(&'static str, String)> {
        for (provider, issuer, subject) in [("acme", ACME, SUBJECT), ("github", GITHUB, &NUMBER.to_string())]
        {
            let (user, subject) =
                (format!("{} 1", Account::realm()), format!("{} {subject}", Account::realm()));
            let mut linked = IdentityRecord::new(format!("{provider:_<22}"), user, issuer, subject, now());
            provider.clone_into(&mut linked.provider);
            self.tables.rows().identities.push(linked);
        }
        self.tables.rows().user(ADA).email_verified_at = Some(now());
        self.post("/bearer/user/confirm-password", Some(access), &json!({ "password": PASSWORD }));
        let begin = |name: &str| match name {
            "link" => self.begin("/user/identities/acme/authorize", Some(access)),
            "confirmation" => self.begin("/user/confirm-provider/acme/authorize", Some(access)),
            "apple" => self.begin("/oauth/apple/nonce", None),
            "native" => self.begin("/oauth/acme/nonce", None),
            "browser" => self.begin_in_browser(),
            provider => self.begin(&format!("/oauth/{provider}/authorize"), None),
        };
        let visits = VISITS.map(|(name, parts)| (parts, begin(name)));
        {
            let mut rows = self.tables.rows();
            let ada = rows.user(ADA);
            (ada.email_verified_at, ada.password_confirmed_at) = (None, None);
        }
        let nonce =
            |name: &str| visits.iter().find(|(parts, _)| parts[2] == name).map_or("", |(_, visit)| &visit[2]);
        let claims_of = |issuer, audience, name| claims(issuer, audience, nonce(name)).to_string();
        let id_token = |claims: String| signed(&header(), claims.as_bytes());
        let acme = claims_of(ACME, CLIENT, "acme_nonce");
        let mut known = vec![
            ("acme_id_token", id_token(acme.clone())),
            ("acme_tokens", tokens(&id_token(acme.clone())).to_string()),
            ("acme_claims", acme),
            ("native_id_token", id_token(claims_of(ACME, APP, "native_nonce"))),
            ("apple_id_token", id_token(claims_of(APPLE, APP, "apple_nonce"))),
            ("x", text(&jwk(), "x")),
            ("jwk", jwk().to_string()),
            ("metadata", metadata(ACME).to_string()),
        ];
        known.extend(visits.into_iter().flat_map(|(parts, visit)| parts.into_iter().zip(visit)));
        known
    }

    fn begin(&self, path: &str, access: Option<&str>) -> Visit {
        read(&self.post(&format!("/bearer{path}"), access, &json!({})))
    }

    fn begin_in_browser(&self) -> Visit {
        let builder =
            request("POST", "/browser/oauth/acme/authorize").header("content-type", "application/json");
        let answer = self.send(of(builder, "{}".into()));
        let [_, state, nonce] = read(&answer);
        [answer.header("set-cookie").split(';').next().unwrap().to_owned(), state, nonce]
    }
}

/// What a client learns of a visit that begins.
fn read(answer: &Answer) -> Visit {
    let body = answer.json();
    let member = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    let url = member("authorizationUrl");
    let nonce = parameter(&url, "nonce").unwrap_or_else(|| member("nonce"));
    [member("flowToken"), parameter(&url, "state").unwrap_or_default(), nonce]
}

fn parameter(url: &str, name: &str) -> Option<String> {
    let mut pairs = url.split(['?', '&']).filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(key, _)| *key == name)?;
    Some(percent_decode_str(value).decode_utf8_lossy().into_owned())
}
