//! The providers that have a constructor of their own, and what each of them can know about an address.

use super::site::{Offer, Preset, Site, ada};
use crate::support::provider::{Auth, Internet, Person};
use crate::support::routers::on_both_routers;
use crate::support::{Account, EMAIL};
use axum_auth_module::AuthUser;
use axum_auth_module::repository::IdentityRepository;
use serde_json::{Value, json};

on_both_routers![
    github_signs_in_by_its_number,
    github_proves_the_primary_address_alone,
    github_says_no_with_status_200,
    google_is_authoritative_for_its_own_addresses,
    google_is_authoritative_for_the_domains_that_the_host_lists,
    microsoft_proves_an_address_by_its_own_claim,
    apple_signs_in_by_id_token_alone,
    a_provider_with_a_profile_of_its_own_form_is_read_by_the_host,
    identities_are_those_of_the_issuer_and_not_of_the_name,
];

const GMAIL: &str = "ada@gmail.com";
const TENANT: &str = "6babcaad-604b-40ac-a9d7-9fd97c0b779f";

async fn with(offer: impl FnOnce(&Internet) -> Offer) -> Site {
    Site::planned(|net| vec![offer(net)], Default::default()).await
}

async fn with_github() -> Site {
    with(|net| Offer::of("github", Preset::GitHub, net.github())).await
}

/// Ada at GitHub, whose ids are numbers.
fn octocat() -> Person {
    let mut person = ada().named("Ada");
    person.subject = 583_231.into();
    person
}

async fn github_signs_in_by_its_number() {
    let site = with_github().await;
    let flow = site.visitor().begin("github").await;
    assert!(flow.url.starts_with("https://github.com/login/oauth/authorize?"), "{}", flow.url);
    let asked = site.provider("github").asked(&flow.url);
    assert!(asked["scope"].split(' ').any(|scope| scope == "user:email"), "{}", asked["scope"]);
    site.sign_in("github", &octocat()).await.registered();
    let row = site
        .identities
        .find_by_subject("github", &format!("{} 583231", Account::realm()))
        .await
        .unwrap()
        .expect("a row");
    assert_eq!((row.issuer.as_str(), row.email.as_deref()), ("github", Some(EMAIL)));
    site.sign_in("github", &octocat()).await.signed_in();
    for id in [json!("583231"), json!(583_231.5), json!(-1), Value::Null, json!([1]), json!({})] {
        let mut person = octocat();
        person.subject = id.clone();
        let outcome = site.sign_in("github", &person).await;
        assert!(!outcome.is_success(), "{id}: {}", outcome.text());
        outcome.refused(422, "provider_refused");
    }
    site.is_in_order();
}

async fn github_proves_the_primary_address_alone() {
    let site = with_github().await;
    let entry = |email: &str, primary: bool, verified: Value| json!({ "email": email, "primary": primary, "verified": verified, "visibility": null });
    for emails in [
        json!([]),
        json!([entry(EMAIL, true, json!(false))]),
        json!([entry(EMAIL, true, json!("true"))]),
        json!([entry(EMAIL, true, json!(1))]),
        json!([entry(EMAIL, false, json!(true))]),
        json!([entry("mallory@example.com", false, json!(true)), entry(EMAIL, true, json!(false))]),
        json!([{ "email": EMAIL }]),
    ] {
        let mut person = octocat();
        person.emails = Some(emails.clone());
        let outcome = site.sign_in("github", &person).await;
        assert!(!outcome.is_success(), "{emails}: {}", outcome.text());
        outcome.refused(403, "provider_email_unverified");
    }
    // The public address of the profile is what its user has typed.
    let mut person = octocat();
    person.email = "victim@example.com".into();
    person.emails =
        Some(json!([entry("other@example.com", false, json!(true)), entry(EMAIL, true, json!(true))]));
    let tokens = site.sign_in("github", &person).await.registered();
    assert_eq!(site.app.me(&tokens.access).await.expect(200).text, EMAIL);
}

async fn github_says_no_with_status_200() {
    let site = with_github().await;
    let visitor = site.visitor();
    let flow = visitor.begin("github").await;
    let mut returned = site.provider("github").consent(&flow.url, &octocat());
    returned.code = Some("made up".to_owned());
    visitor.finish(&flow, &returned).await.refused(422, "provider_refused");
    assert_eq!(site.provider("github").calls("/user"), 0);
}

async fn with_google(domains: &'static [&'static str]) -> Site {
    with(|net| {
        Offer::of("google", Preset::Google(domains.to_vec()), net.openid("https://accounts.google.com"))
    })
    .await
}

/// Whether the owner arrives at the unverified account with this address.
async fn arrives(site: &Site, name: &str, person: &Person) -> bool {
    let email = person.email.as_str().unwrap();
    let stranger = site.app.register(email).await;
    let outcome = site.sign_in(name, person).await;
    let is_owner = outcome.is_success();
    assert_eq!(site.account(email).password.is_empty(), is_owner, "{}", outcome.text());
    match is_owner {
        true => site.app.is_over(&stranger).await,
        false => drop(outcome.account_exists()),
    }
    is_owner
}

async fn google_is_authoritative_for_its_own_addresses() {
    let site = with_google(&[]).await;
    for (number, (email, is_owner)) in [
        (GMAIL, true),
        ("ada@example.org", false),
        ("ada@gmail.com.example", false),
        ("ada@notgmail.com", false),
        ("ada@mail.gmail.com", false),
    ]
    .into_iter()
    .enumerate()
    {
        let person = Person::new(&format!("{number}"), email);
        assert_eq!(arrives(&site, "google", &person).await, is_owner, "{email}");
    }
    let unproven = Person::new("7", "eve@gmail.com").saying(false);
    site.sign_in("google", &unproven).await.refused(403, "provider_email_unverified");
}

/// Whoever buys a domain that has lapsed gets a Workspace with the same `hd`.
async fn google_is_authoritative_for_the_domains_that_the_host_lists() {
    let site = with_google(&["acme.example"]).await;
    for (number, (hd, is_owner)) in [
        (json!("acme.example"), true),
        (json!("evil.example"), false),
        (json!("sub.acme.example"), false),
        (json!(["acme.example"]), false),
        (json!(""), false),
        (Value::Null, false),
    ]
    .into_iter()
    .enumerate()
    {
        let mut person = Person::new(&format!("{number}"), &format!("ada-{number}@acme.example"));
        if !hd.is_null() {
            person = person.with_claim("hd", hd.clone());
        }
        assert_eq!(arrives(&site, "google", &person).await, is_owner, "{hd}");
    }
}

async fn microsoft_proves_an_address_by_its_own_claim() {
    let site = with(|net| {
        let provider = net.openid(&format!("https://login.microsoftonline.com/{TENANT}/v2.0"));
        provider.expects(Auth::Post);
        Offer::of("microsoft", Preset::Microsoft(TENANT), provider)
    })
    .await;
    for value in
        [json!(false), json!(0), json!("0"), json!(2), json!("yes"), json!([true]), json!({}), Value::Null]
    {
        let mut person = ada();
        if !value.is_null() {
            person = person.with_claim("xms_edov", value.clone());
        }
        let outcome = site.sign_in("microsoft", &person).await;
        assert!(!outcome.is_success(), "{value}: {}", outcome.text());
        outcome.refused(403, "provider_email_unverified");
    }
    for (number, value) in [json!(true), json!(1), json!("1"), json!("true")].into_iter().enumerate() {
        let email = format!("ada-{number}@example.com");
        let person =
            Person::new(&format!("{number}"), &email).named("Ada").with_claim("xms_edov", value.clone());
        let outcome = site.sign_in("microsoft", &person).await;
        assert!(outcome.is_success(), "{value}: {}", outcome.text());
        outcome.registered();
    }
    site.is_in_order();
}

async fn apple_signs_in_by_id_token_alone() {
    let site =
        with(|net| Offer::of("apple", Preset::AppleNative, net.openid("https://appleid.apple.com"))).await;
    let apple = site.provider("apple");
    let listed = site.visitor().get("/auth/oauth/providers").await.expect(200).body;
    assert_eq!(listed, json!([{ "name": "apple", "nativeIdToken": true }]));
    let visitor = site.visitor();
    visitor.post("/auth/oauth/apple/authorize", &json!({})).await.expect(404);
    let begin = || async {
        let begun = visitor.post("/auth/oauth/apple/nonce", &json!({})).await.expect(200).body;
        (begun["nonce"].as_str().unwrap().to_owned(), begun["flowToken"].clone())
    };
    for (proven, status) in
        [(json!("false"), 403), (json!(false), 403), (json!(1), 403), (json!("true"), 201)]
    {
        let (nonce, flow) = begin().await;
        let token = apple.id_token(&ada().saying(proven.clone()), &nonce, apple.client_id());
        let body = json!({ "flowToken": flow, "idToken": token, "name": "Ada" });
        let answer = visitor.post("/auth/oauth/apple/id-token", &body).await;
        assert_eq!(answer.status, status, "{proven}: {}", answer.text);
    }
    // A private relay address is one like others.
    let (nonce, flow) = begin().await;
    let person = Person::new("relay", "x7y@privaterelay.appleid.com").saying(true);
    let token = apple.id_token(&person, &nonce, apple.client_id());
    let body = json!({ "flowToken": flow, "idToken": token, "name": "Grace" });
    visitor.post("/auth/oauth/apple/id-token", &body).await.expect(201);
}

async fn a_provider_with_a_profile_of_its_own_form_is_read_by_the_host() {
    let site = with(|net| Offer::of("forge", Preset::OAuth2, net.oauth2("https://forge.example"))).await;
    site.sign_in("forge", &ada().saying(false)).await.refused(403, "provider_email_unverified");
    site.sign_in("forge", &ada().named("Ada")).await.registered();
    let tokens = site.sign_in("forge", &ada()).await.signed_in();
    assert_eq!(site.app.me(&tokens.access).await.expect(200).text, EMAIL);
    assert_eq!(site.provider("forge").calls("/profile"), 3);
    let visitor = site.visitor();
    let flow = visitor.begin("forge").await;
    let mut returned = site.provider("forge").consent(&flow.url, &ada());
    returned.code = Some("made up".to_owned());
    visitor.finish(&flow, &returned).await.refused(422, "provider_refused");
    site.provider("forge").break_userinfo(|profile| profile["id"] = Value::Null);
    site.sign_in("forge", &ada()).await.refused(422, "provider_refused");
    site.is_in_order();
}

/// Whoever points the name at another server gets nobody's account.
async fn identities_are_those_of_the_issuer_and_not_of_the_name() {
    let before = with(|net| Offer::openid("acme", net)).await;
    before.linked_user(EMAIL, &ada()).await;
    let after = with(|net| Offer::of("acme", Preset::OpenId, net.openid("https://impostor.example"))).await;
    for identity in before.identities.find_by_user("default 1").await.unwrap() {
        assert!(after.identities.insert(identity).await.unwrap());
    }
    after.user(EMAIL).await;
    after.sign_in("acme", &ada()).await.account_exists();
    let stranger = Person::new("ada-at-acme", "mallory@example.com");
    after.sign_in("acme", &stranger).await.asked_to_register();
}
