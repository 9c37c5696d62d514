//! The refusals and notices of sign-in with providers in German (specification §28).

use super::native;
use super::site::{Rules, Site, Word, ada};
use super::visitor::{Purpose, Visitor};
use crate::security_notices::notices;
use crate::support::EMAIL;
use crate::support::answer::Answer;
use crate::support::provider::Person;
use crate::support::provider::trouble::Fault;
use crate::support::routers::{is_browser, on_both_routers};
use axum_auth_module::delivery::SecurityNoticeKind::{
    self, AccountReclaimed, IdentityLinked, IdentityUnlinked,
};
use axum_auth_module::error::{ErrorCode, FieldText};
use axum_auth_module::feature::Feature;
use axum_auth_module::languages::{Language, SuccessText};
use serde_json::json;

on_both_routers![
    a_refused_sign_in_is_explained_in_the_language_of_the_request,
    a_refused_link_is_explained_in_the_language_of_the_request,
    a_field_error_is_in_the_language_of_the_request,
    a_redirect_says_the_code_in_every_language,
    the_sentence_of_the_policy_stays,
    a_notice_is_in_the_language_of_the_account,
];

const GERMAN: &str = "de-AT, de;q=0.9, en;q=0.5";

/// A host with English and German, without some features, whose `acme` takes ID tokens.
async fn bilingual(off: Vec<Feature>, word: Word) -> Site {
    let change = |offers: &mut Vec<super::site::Offer>| {
        offers[0].audiences = vec![native::WEB.to_owned()];
        offers[0].trust = Some(word);
    };
    Site::with(change, Rules { off, speaks_german: true, ..Rules::default() }).await
}

/// Both languages say this refusal, each in its own words.
async fn is_said(visitor: &Visitor, code: ErrorCode, call: impl AsyncFn(Visitor) -> Answer) {
    assert_ne!(Language::german().text(code), Language::english().text(code));
    for (wanted, language) in [(GERMAN, Language::german()), ("en", Language::english())] {
        let answer = call(visitor.speaking(wanted)).await.refused(code.status(), code.as_str());
        assert_eq!(answer.body["detail"], language.text(code));
        assert_eq!(answer.header("content-language"), Some(language.tag()));
    }
}

/// A sign-in of this person with an ID token: its response has a body on both routers.
async fn signs_in(site: &Site, visitor: &Visitor, person: &Person) -> Answer {
    let (nonce, flow) = native::nonce(visitor, "acme").await;
    let token = site.provider("acme").id_token(person, &nonce, native::WEB);
    native::sign_in(visitor, &flow, &token).await
}

async fn a_refused_sign_in_is_explained_in_the_language_of_the_request() {
    let site = bilingual(vec![], Word::Verified).await;
    site.user(EMAIL).await;
    let visitor = site.visitor();
    let signs_in_as = |person: Person| {
        let site = site.clone();
        async move |visitor: Visitor| signs_in(&site, &visitor, &person).await
    };
    is_said(&visitor, ErrorCode::ProviderEmailUnverified, signs_in_as(ada().saying(false))).await;
    is_said(&visitor, ErrorCode::AccountExists, signs_in_as(ada())).await;
    site.provider("acme").break_id_token(|_, claims| claims["nonce"] = "x".into());
    is_said(&visitor, ErrorCode::ProviderRefused, signs_in_as(ada())).await;
    let garbage = async |visitor: Visitor| native::sign_in(&visitor, "x", "x").await;
    is_said(&visitor, ErrorCode::InvalidFlowToken, garbage).await;
    site.provider("other").is_down(Fault::NotSent);
    let begins = async |visitor: Visitor| visitor.authorize(Purpose::SignIn, "other", &json!({})).await;
    is_said(&visitor, ErrorCode::ProviderUnavailable, begins).await;

    let closed = bilingual(vec![Feature::PASSWORDLESS_REGISTRATION], Word::Verified).await;
    let stranger = async |visitor: Visitor| signs_in(&closed, &visitor, &ada()).await;
    is_said(&closed.visitor(), ErrorCode::RegistrationClosed, stranger).await;
}

async fn a_refused_link_is_explained_in_the_language_of_the_request() {
    let site =
        bilingual(vec![Feature::EMAIL_LOGIN, Feature::PASSWORDLESS_REGISTRATION], Word::Verified).await;
    let tokens = site.user(EMAIL).await;
    let visitor = site.visitor();
    let token = visitor.sign_in(&site, "acme", &ada()).await.account_exists();
    let visitor = visitor.with(&tokens);
    site.app.users.update(EMAIL, |user| user.email_verified_at = None);
    let begins = async |visitor: Visitor| visitor.authorize(Purpose::Link, "acme", &json!({})).await;
    is_said(&visitor, ErrorCode::EmailNotVerified, begins).await;
    site.app.verify_address(EMAIL);
    let bob = site.linked_user("bob@example.com", &ada()).await;
    // A token is used up by the refusal.
    let refused = visitor.speaking(GERMAN).link_by_token(&token).await.refused(409, "identity_taken");
    assert_eq!(refused.body["detail"], Language::german().text(ErrorCode::IdentityTaken));

    let tokens = site.app.delete("/auth/user/password").bearer(&bob.access).await.expect(200).tokens();
    let visitor = site.visitor().with(&tokens);
    let path = format!("/auth/user/identities/{}", visitor.identities().await[0]["id"].as_str().unwrap());
    let removes = async |visitor: Visitor| visitor.delete(&path).await;
    is_said(&visitor, ErrorCode::LastSignInMethod, removes).await;
    visitor.link(&site, "other", &ada()).await.linked(201);
    let removed = visitor.speaking(GERMAN).delete(&path).await.expect(200);
    assert_eq!(removed.body["message"], Language::german().text(SuccessText::IdentityUnlinked));
}

async fn a_field_error_is_in_the_language_of_the_request() {
    let site = bilingual(vec![], Word::Verified).await;
    let tokens = site.user(EMAIL).await;
    let visitor = site.visitor().with(&tokens).speaking(GERMAN);
    let german = |text: FieldText| Language::german().text(text).replace("{number}", "512");
    let details = |answer: Answer| {
        let errors = answer.refused(422, "validation_failed").body["errors"].clone();
        let errors: Vec<_> = errors.as_array().unwrap().iter().map(|error| error["detail"].clone()).collect();
        errors
    };
    let begun = visitor.authorize(Purpose::SignIn, "acme", &json!({ "redirectUri": "x", "next": "x" })).await;
    let mut expected = vec![german(FieldText::RedirectUriInvalid)];
    expected.extend(is_browser().then(|| german(FieldText::NextInvalid)));
    assert_eq!(details(begun), expected);
    let path = "/auth/user/identities";
    let nothing = details(visitor.post(path, &json!({})).await);
    if is_browser() {
        assert_eq!(nothing, [german(FieldText::Required)]);
        return;
    }
    assert_eq!(nothing, [german(FieldText::LinkRequired)]);
    let both = visitor.post(path, &json!({ "linkToken": "x", "flowToken": "x" })).await;
    assert_eq!(details(both), [german(FieldText::LinkConflict)]);
}

/// A page of the host has the sentence for it.
async fn a_redirect_says_the_code_in_every_language() {
    let site = bilingual(vec![], Word::Verified).await;
    let visitor = site.visitor().speaking(GERMAN);
    let outcome = visitor.sign_in(&site, "acme", &ada().saying(false)).await;
    let refused = outcome.refused(403, "provider_email_unverified");
    if let Some(answer) = refused.answer() {
        assert_eq!(answer.body["detail"], Language::german().text(ErrorCode::ProviderEmailUnverified));
    }
    if let Some(page) = refused.page() {
        assert_eq!(page.text, "");
    }
}

async fn the_sentence_of_the_policy_stays() {
    let policy = crate::every_route::policy::Rules::default();
    let rules = Rules { speaks_german: true, policy: policy.clone(), ..Rules::default() };
    let site = Site::with(|_| {}, rules).await;
    site.linked_user(EMAIL, &ada()).await;
    policy.refuse(&["login"]);
    let outcome = site.visitor().speaking(GERMAN).sign_in(&site, "acme", &ada()).await;
    if let Some(answer) = outcome.refused(403, "not_allowed").answer() {
        assert_eq!(answer.body["detail"], "The login is refused.");
        assert_eq!(answer.header("content-language"), Some("de"));
    }
}

/// The kinds and languages of the notices since the last call.
async fn told(site: &Site) -> Vec<(SecurityNoticeKind, String)> {
    let told = notices(&site.app).await.into_iter();
    told.map(|notice| (notice.kind, notice.language.tag().to_owned())).collect()
}

/// A thief may have sent the request, so its language does not count.
async fn a_notice_is_in_the_language_of_the_account() {
    for (locale, tag) in [(None, "en"), (Some("de-AT"), "de")] {
        let site = bilingual(vec![], Word::Authoritative).await;
        let stranger = site.app.register(EMAIL).await;
        site.app.users.update(EMAIL, |user| user.locale = locale.map(str::to_owned));
        told(&site).await;
        let outcome = site.visitor().speaking("fr, de, en").sign_in(&site, "acme", &ada()).await;
        let tokens = outcome.signed_in();
        site.app.is_over(&stranger).await;
        let of = |kind| (kind, tag.to_owned());
        let mut all = told(&site).await;
        all.sort_by_key(|told| format!("{told:?}"));
        assert_eq!(all, [of(AccountReclaimed), of(IdentityLinked)]);
        let visitor = site.visitor().with(&tokens).speaking(GERMAN);
        visitor.link(&site, "other", &ada()).await.linked(201);
        assert_eq!(told(&site).await, [of(IdentityLinked)]);
        let listed = visitor.identities().await;
        let other = listed.iter().find(|identity| identity["provider"] == "other").unwrap();
        let path = format!("/auth/user/identities/{}", other["id"].as_str().unwrap());
        visitor.delete(&path).await.expect(200);
        assert_eq!(told(&site).await, [of(IdentityUnlinked)]);
    }
}
