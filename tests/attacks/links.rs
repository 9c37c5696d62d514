//! Verification links: every part changed, an expiry of odd forms, the links of others and of former addresses (ASVS 6.6.2).

use super::target::{EVE, INVALID_LINK, Target, attacks};
use crate::email_verification::links::odd_expiries;
use crate::support::{EMAIL, Tokens};
use axum_auth_module::delivery::VerificationData;
use std::time::Duration;

attacks! {
    on_both_routers {
        parts_that_were_changed: 32,
        an_expiry_of_an_odd_form: 21,
        links_of_others: 6,
        a_link_after_an_hour: 1,
        a_link_to_a_former_address: 3,
        other_methods: 5,
    }
}

async fn with_link() -> (Target, Tokens, VerificationData) {
    let target = Target::with_addresses_of_profiles().await;
    let tokens = target.register(EMAIL).await;
    let link = target.link(&tokens.access).await;
    (target, tokens, link)
}

fn path(id: &str, hash: &str, query: &str) -> String {
    format!("/auth/email/verify/{id}/{hash}?{query}")
}

fn is_verified(target: &Target) -> bool {
    target.users.by_email(EMAIL).unwrap().email_verified_at.is_some()
}

/// The text with its last digit changed.
fn other(hex: &str) -> String {
    let (head, tail) = hex.split_at(hex.len() - 1);
    format!("{head}{}", if tail == "0" { "1" } else { "0" })
}

async fn parts_that_were_changed() -> Target {
    let (target, tokens, link) = with_link().await;
    let (hash, signature, expires) = (&link.hash, &link.signature, link.expires);
    let later = expires + 1;
    let query = format!("signature={signature}&expires={expires}");
    let with_hash = |hash: &str| path("1", hash, &query);
    let with_signature =
        |signature: &str| path("1", hash, &format!("signature={signature}&expires={expires}"));
    let with_query = |query: &str| path("1", hash, query);
    for broken in [
        with_hash(&other(hash)),
        with_hash(signature),
        with_hash("x"),
        with_hash(&hash[..63]),
        with_hash(&hash[..2]),
        with_hash(&format!("{hash}00")),
        with_hash(&hash.to_uppercase()),
        with_hash(&"z".repeat(64)),
        with_hash("%FF"),
        with_hash("%00"),
        with_hash(&format!("{hash}%20")),
        with_hash(&format!("{hash}%0A")),
        with_hash(&"0".repeat(6_000)),
        with_signature(""),
        with_signature(&other(signature)),
        with_signature(hash),
        with_signature(&signature[..62]),
        with_signature(&format!("{signature}00")),
        with_signature(&format!("{signature}%20")),
        with_signature(&signature.to_uppercase()),
        with_signature("%FF"),
        with_signature("null"),
        with_query(""),
        with_query(&format!("signature={signature}")),
        with_query(&format!("expires={expires}")),
        with_query(&format!("signature={signature}&expires={later}")),
        with_query(&format!("{query}&signature={signature}")),
        with_query(&format!("{query}&expires={expires}")),
        with_query(&format!("expires={later}&{query}")),
        with_query(&format!("signature[]={signature}&expires={expires}")),
        with_query(&format!("Signature={signature}&Expires={expires}")),
        with_query(&format!("signature={signature};expires={expires}")),
    ] {
        target.refuses(&broken, target.get(&broken).bearer(&tokens.access), INVALID_LINK).await;
        assert!(!is_verified(&target), "{broken}");
    }
    // What a mail program adds to a link takes nothing from it.
    let tracked = with_query(&format!("utm_source=mail&{query}"));
    target.serves("the link", target.get(&tracked).bearer(&tokens.access), 200).await;
    target
}

async fn an_expiry_of_an_odd_form() -> Target {
    let (target, tokens, link) = with_link().await;
    let right = link.expires;
    let open = |expires: &str| {
        let query = format!("signature={}&expires={expires}", link.signature);
        target.get(&path("1", &link.hash, &query)).bearer(&tokens.access)
    };
    for expires in odd_expiries(right) {
        target.refuses(&expires, open(&expires), INVALID_LINK).await;
    }
    target.serves("the link", open(&right.to_string()), 200).await;
    target
}

async fn links_of_others() -> Target {
    let (target, tokens, link) = with_link().await;
    let eve = target.register(EVE).await;
    let eves = target.link(&eve.access).await;
    let not_yours = (403, "verification_link_not_yours");
    let query = |link: &VerificationData| format!("signature={}&expires={}", link.signature, link.expires);
    let (of_ada, of_eve) = (query(&link), query(&eves));
    for (what, path, access, refusal) in [
        ("Ada's link", path("1", &link.hash, &of_ada), &eve.access, not_yours),
        ("Eve's link", path("2", &eves.hash, &of_eve), &tokens.access, not_yours),
        ("Ada's link with Eve's id", path("2", &link.hash, &of_ada), &eve.access, INVALID_LINK),
        ("Eve's hash", path("1", &eves.hash, &of_ada), &tokens.access, INVALID_LINK),
        ("Eve's signature", path("1", &link.hash, &of_eve), &tokens.access, INVALID_LINK),
        ("an id like hers", path("01", &link.hash, &of_ada), &tokens.access, not_yours),
    ] {
        target.refuses(what, target.get(&path).bearer(access), refusal).await;
    }
    let path = path("1", &link.hash, &of_ada);
    target.serves("Ada's link", target.get(&path).bearer(&tokens.access), 200).await;
    assert!(target.users.by_email(EVE).unwrap().email_verified_at.is_none());
    target
}

async fn a_link_after_an_hour() -> Target {
    let (target, _, late) = with_link().await;
    target.advance(3600);
    let access = target.login(EMAIL).await.access;
    let call = target.get(&late.path("/auth")).bearer(&access);
    target.refuses("an hour later", call, (422, "expired_verification_link")).await;
    let link = target.link(&access).await;
    target.clock.advance(Duration::from_secs(600));
    target.serves("in time", target.get(&link.path("/auth")).bearer(&access), 200).await;
    target
}

async fn a_link_to_a_former_address() -> Target {
    let (target, tokens, former) = with_link().await;
    let open = |link: &VerificationData| target.get(&link.path("/auth")).bearer(&tokens.access);
    target.move_to(&tokens.access, "lovelace@example.com").await.expect(200);
    target.refuses("former address", open(&former), INVALID_LINK).await;
    let link = target.link(&tokens.access).await;
    let mut mixed = link.clone();
    mixed.hash.clone_from(&former.hash);
    target.refuses("its hash", open(&mixed), INVALID_LINK).await;
    target.serves("new address", open(&link), 200).await;
    // Another user has the address now: a link that was made before verifies it for nobody.
    let eve = target.register(EMAIL).await;
    let call = target.get(&former.path("/auth")).bearer(&eve.access);
    target.refuses("new owner", call, (403, "verification_link_not_yours")).await;
    target
}

/// Programs that look at links in mails send `HEAD`: it verifies nothing.
async fn other_methods() -> Target {
    let (target, tokens, link) = with_link().await;
    let path = link.path("/auth");
    for method in ["HEAD", "POST", "PUT", "DELETE", "PATCH"] {
        let call = target.request(method.parse().unwrap(), &path).bearer(&tokens.access);
        target.shrugs_off(method, call, 405).await;
        assert!(!is_verified(&target), "{method}");
    }
    target.serves("GET", target.get(&path).bearer(&tokens.access), 200).await;
    target
}
