//! Tokens and links that were issued before a rotation, and what is issued after it.

use super::{A, B, C, Secrets, Shared};
use crate::email_verification::notification::{link, open};
use crate::reset_passwords::reset_password::{NEW, reset, token};
use crate::support::authenticator::Enrolled;
use crate::support::routers::on_both_routers;
use crate::support::{App, EMAIL, PASSWORD, Tokens, forge};
use axum_auth_module::delivery::VerificationData;

on_both_routers![
    what_was_issued_before_a_rotation_works_after_it,
    what_was_issued_before_two_rotations_works_after_both,
    a_ring_accepts_exactly_what_one_of_its_secrets_has_signed,
];

const EVE: &str = "eve@example.com";
const DAY: u64 = 24 * 3600;

/// One of everything that a secret signs.
struct Issued {
    tokens: Tokens,
    /// Eve's, who has a second factor.
    challenge: String,
    eve: Enrolled,
    link: VerificationData,
    reset: String,
}

impl Issued {
    async fn by(app: &App) -> Self {
        let tokens = app.register(EMAIL).await;
        let link = link(app, &tokens).await;
        let eve = app.enrolled(EVE).await;
        let challenge = app.challenge_token(EVE).await;
        let reset = token(app, &app.outbox, EMAIL).await;
        Self { tokens, challenge, eve, link, reset }
    }

    async fn all_work(self, app: &App) {
        let Self { tokens, challenge, eve, link, reset: token } = self;
        for path in ["/me", "/claims"] {
            app.get(path).bearer(&tokens.access).await.expect(200);
        }
        let refreshed = app.renew(&tokens).await;
        app.me(&refreshed.access).await.expect(200);
        app.renew(&refreshed).await;
        app.me(&tokens.access).await.expect(200);
        app.challenge(&challenge, &eve.authenticator.code(app)).await.expect(200);
        open(app, &tokens.access, &link.path("/auth")).await.expect(200);
        reset(app, EMAIL, &token, NEW).await.expect(200);
    }

    async fn none_work(self, app: &App) {
        let Self { tokens, challenge, eve, link, .. } = self;
        app.is_over(&tokens).await;
        let code = eve.authenticator.code(app);
        app.challenge(&challenge, &code).await.refused(401, "invalid_challenge_token");
        let own = app.login(EMAIL).await;
        open(app, &own.access, &link.path("/auth")).await.refused(422, "invalid_verification_link");
    }
}

async fn what_was_issued_before_a_rotation_works_after_it() {
    for secrets in [[B, A].as_slice(), &[B, C, A], &[B, A, C]] {
        let shared = Shared::new();
        let issued = Issued::by(&shared.start(&[A]).await).await;
        issued.all_work(&shared.start(secrets).await).await;
    }
}

async fn what_was_issued_before_two_rotations_works_after_both() {
    let shared = Shared::new();
    let issued = Issued::by(&shared.start(&[A]).await).await;
    shared.start(&[B, A]).await.me(&issued.tokens.access).await.expect(200);
    issued.all_work(&shared.start(&[C, B, A]).await).await;
}

#[tokio::test]
async fn what_is_issued_after_a_rotation_needs_the_new_secret_only() {
    let shared = Shared::new();
    let old = shared.start(&[A]).await;
    let before = old.register("old@example.com").await;
    let rotated = shared.start(&[B, A]).await;
    let issued = Issued::by(&rotated).await;
    let refreshed = rotated.refresh(&before.refresh).await.expect(200).tokens();
    for tokens in [&issued.tokens, &issued.eve.tokens, &refreshed] {
        for (token, new, old) in [(&tokens.access, B.jwt, A.jwt), (&tokens.refresh, B.refresh, A.refresh)] {
            assert!(forge::is_signed_with(token, new) && !forge::is_signed_with(token, old));
        }
    }
    old.is_over(&refreshed).await;
    let new = shared.start(&[B]).await;
    new.me(&refreshed.access).await.expect(200);
    new.refresh(&refreshed.refresh).await.expect(200);
    issued.all_work(&new).await;

    let shared = Shared::new();
    let issued = Issued::by(&shared.start(&[B, A]).await).await;
    issued.none_work(&shared.start(&[A]).await).await;
}

/// The rings that consist of the first ones of these, with each of them as the current one.
fn rings() -> Vec<Vec<Secrets>> {
    let mut rings = vec![vec![A], vec![B], vec![C]];
    for (one, other, third) in [(A, B, C), (B, A, C), (A, C, B), (C, A, B), (B, C, A), (C, B, A)] {
        rings.push(vec![one, other]);
        rings.push(vec![one, other, third]);
    }
    rings
}

async fn a_ring_accepts_exactly_what_one_of_its_secrets_has_signed() {
    for issuer in [A, B, C] {
        for ring in rings() {
            let shared = Shared::new();
            let issued = Issued::by(&shared.start(&[issuer]).await).await;
            let app = shared.start(&ring).await;
            match ring.contains(&issuer) {
                true => issued.all_work(&app).await,
                false => issued.none_work(&app).await,
            }
        }
    }
}

#[tokio::test]
async fn a_token_of_an_unrelated_secret_is_refused() {
    let shared = Shared::new();
    let tokens = shared.start(&[A]).await.register(EMAIL).await;
    let app = shared.start(&[B, A]).await;
    let forged = |token: &str, typ: &str, secret: &str| {
        let claims = serde_json::Value::Object(forge::claims(token)).to_string();
        forge::sign(&format!(r#"{{"alg":"HS256","typ":"{typ}"}}"#), &claims, secret)
    };
    app.me(&forged(&tokens.access, "at+jwt", A.jwt)).await.expect(200);
    // Neither another secret, nor the secret of the other kind of token.
    for secret in [C.jwt, A.refresh, B.refresh] {
        app.me(&forged(&tokens.access, "at+jwt", secret)).await.refused(401, "unauthenticated");
    }
    for secret in [C.refresh, A.jwt, B.jwt] {
        let forged = forged(&tokens.refresh, "rt+jwt", secret);
        app.refresh(&forged).await.refused(401, "invalid_refresh_token");
    }
    app.refresh(&forged(&tokens.refresh, "rt+jwt", A.refresh)).await.expect(200);
}

/// The row is not accepted because its token is: each is verified.
#[tokio::test]
async fn a_row_that_an_unknown_secret_has_sealed_counts_as_none() {
    let shared = Shared::new();
    let tokens = shared.start(&[A]).await.register(EMAIL).await;
    let claims = serde_json::Value::Object(forge::claims(&tokens.access)).to_string();
    let token = forge::sign(&forge::access_header(), &claims, B.jwt);
    shared.start(&[B]).await.get("/claims").bearer(&token).await.refused(401, "unauthenticated");
    shared.start(&[B, A]).await.get("/claims").bearer(&token).await.expect(200);
}

#[tokio::test]
async fn a_session_in_use_does_not_need_the_old_secret_after_the_lifetime_of_a_refresh_token() {
    let shared = Shared::new();
    let before = shared.start(&[A]).await;
    let (mut used, unused) = (before.register(EMAIL).await, before.login(EMAIL).await);
    let rotated = shared.start(&[B, A]).await;
    // The session that is used least refreshes just before its refresh token expires.
    rotated.advance(7 * DAY - 1);
    rotated.me(&used.access).await.refused(401, "unauthenticated");
    used = rotated.refresh(&used.refresh).await.expect(200).tokens();
    rotated.advance(1);
    rotated.is_over(&unused).await;

    let after = shared.start(&[B]).await;
    after.me(&used.access).await.expect(200);
    after.get("/claims").bearer(&used.access).await.expect(200);
    let refreshed = after.refresh(&used.refresh).await.expect(200).tokens();
    after.me(&refreshed.access).await.expect(200);
    let sessions = after.get("/auth/user/sessions").bearer(&refreshed.access).await.expect(200);
    assert_eq!(sessions.body["sessions"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn an_old_secret_that_is_removed_too_early_logs_out_who_has_not_refreshed() {
    let shared = Shared::new();
    let before = shared.start(&[A]).await;
    let (refreshed, idle) = (before.register(EMAIL).await, before.login(EMAIL).await);
    let rotated = shared.start(&[B, A]).await;
    let refreshed = rotated.refresh(&refreshed.refresh).await.expect(200).tokens();
    rotated.me(&idle.access).await.expect(200);
    let after = shared.start(&[B]).await;
    after.me(&refreshed.access).await.expect(200);
    after.is_over(&idle).await;
    after.login_call(EMAIL, PASSWORD).await.expect(200);
}

/// The retry of a lost response is answered without a write of the row.
#[tokio::test]
async fn a_refresh_that_is_repeated_across_the_rotation_returns_a_pair_that_works() {
    let shared = Shared::new();
    let before = shared.start(&[A]).await;
    let tokens = before.register(EMAIL).await;
    before.refresh(&tokens.refresh).await.expect(200);
    let rotated = shared.start(&[B, A]).await;
    let again = rotated.refresh(&tokens.refresh).await.expect(200).tokens();
    assert!(forge::is_signed_with(&again.refresh, B.refresh));
    for path in ["/me", "/claims"] {
        rotated.get(path).bearer(&again.access).await.expect(200);
    }
    rotated.refresh(&again.refresh).await.expect(200);
}
