//! Who has signed in: addresses, names, UserInfo, GitHub, and profiles that hosts read.

use super::*;
use crate::social::{Granted, OAuthEndpoints, Profile, ProfileError, ProviderClient, ReadsProfile, Trust};
use async_trait::async_trait;

const GITHUB_TOKEN: &str = "https://github.com/login/oauth/access_token";
const USER: &str = "https://api.github.com/user";
const EMAILS: &str = "https://api.github.com/user/emails";

/// What an OpenID provider's claims are worth.
async fn trust(provider: &SocialProvider, issuer: &str, others: Value) -> Trust {
    let world = World::new(&provider.clone().id_token_audiences(["client"]));
    let mut announced = metadata(issuer);
    announced["userinfo_endpoint"] = Value::Null;
    world.peer.json(&format!("{issuer}/.well-known/openid-configuration"), &announced);
    let mut claims = with(others);
    claims["iss"] = json!(issuer);
    world.remote.verify_native(&world.id_token(&claims), NONCE).await.ok().unwrap().trust
}

#[tokio::test]
async fn only_true_is_a_proof() {
    let words = [
        json!(true),
        json!(false),
        json!("true"),
        json!("1"),
        json!(1),
        json!([true]),
        json!({}),
        json!(null),
    ];
    let judged = async |provider: SocialProvider, issuer: &str, claim: &str| {
        let mut proven = Vec::new();
        for word in &words {
            let mut others = json!({"email_verified": null});
            others[claim] = word.clone();
            if trust(&provider, issuer, others).await == Trust::Verified {
                proven.push(word.clone());
            }
        }
        proven
    };
    let tenant = "9188040d-6c67-4c5b-b112-36a304b66dad";
    let microsoft = SocialProvider::microsoft(tenant, "client", "secret", CALLBACK);
    let of_microsoft = format!("https://login.microsoftonline.com/{tenant}/v2.0");
    let apple = SocialProvider::apple_native(["client"]);
    assert_eq!(judged(acme(), ISSUER, "email_verified").await, [json!(true)]);
    let proven = judged(apple, "https://appleid.apple.com", "email_verified").await;
    assert_eq!(proven, [json!(true), json!("true")]);
    let proven = judged(microsoft.clone(), &of_microsoft, "xms_edov").await;
    assert_eq!(proven, [json!(true), json!("true"), json!("1"), json!(1)]);
    assert!(judged(microsoft, &of_microsoft, "email_verified").await.is_empty());
}

#[tokio::test]
async fn an_address_is_worth_what_the_provider_can_know() {
    let google = SocialProvider::google("client", "secret", CALLBACK);
    let ours = google.clone().hosted_domains(["Example.com"]);
    let of = |email: &str, hd: Option<&str>| json!({"email": email, "hd": hd});
    let issuer = "https://accounts.google.com";
    for (provider, others, expected) in [
        (&google, of("a@GMAIL.com", None), Trust::Authoritative),
        (&google, of("a@gmail.com.evil.example", None), Trust::Verified),
        (&google, of("a@example.com", Some("example.com")), Trust::Verified),
        (&ours, of("a@example.com", Some("example.com")), Trust::Authoritative),
        (&ours, of("a@example.com", None), Trust::Verified),
        (&ours, of("a@example.org", Some("example.org")), Trust::Verified),
        (&google.clone().trust(Trust::Verified), of("a@gmail.com", None), Trust::Verified),
        (&google.clone().trust(Trust::None), of("a@gmail.com", None), Trust::None),
        (&google.clone().trust(Trust::Authoritative), of("a@example.org", None), Trust::Verified),
        (&google, json!({"email": "a@gmail.com", "email_verified": false}), Trust::None),
    ] {
        assert_eq!(trust(provider, issuer, others.clone()).await, expected, "{others}");
    }
    for configured in [Trust::None, Trust::Verified, Trust::Authoritative] {
        let provider = acme().trust(configured);
        assert_eq!(trust(&provider, ISSUER, json!({})).await, configured);
        assert_eq!(trust(&provider, ISSUER, json!({"email_verified": false})).await, Trust::None);
    }
}

#[tokio::test]
async fn addresses_and_names_that_are_none_are_left_out() {
    let world = World::new(&acme());
    for email in [
        "",
        "ada",
        "Ada <ada@example.org>",
        " ada@example.org",
        "a@b\n.example",
        &format!("{}@example.org", "a".repeat(250)),
    ] {
        let person = world.judge(&with(json!({"email": email}))).await.ok().unwrap();
        assert_eq!((person.email, person.trust), (None, Trust::None), "{email}");
    }
    for (name, expected) in [
        (json!("A\u{0}d\na "), None),
        (json!("Ada"), Some("Ada")),
        (json!(" \n"), None),
        (json!(""), None),
        (json!(1), None),
        (json!("a".repeat(256)), None),
    ] {
        let person = world.judge(&with(json!({"name": name.clone()}))).await.ok().unwrap();
        assert_eq!(person.name.as_deref(), expected, "{name}");
    }
}

#[tokio::test]
async fn user_info_is_asked_if_the_id_token_has_no_address() {
    let world = World::new(&acme());
    assert!(world.redeem().await.is_ok());
    assert!(world.peer.arrived(USER_INFO).is_empty());
    world.returns(&with(json!({"email": null, "email_verified": null, "name": null})));
    let about = |others: Value| {
        let mut answer =
            json!({"sub": "4711", "email": "ada@example.net", "email_verified": true, "name": "Lady"});
        change(answer.as_object_mut().unwrap(), others);
        Answer::Text(200, answer.to_string())
    };
    world.peer.answer(USER_INFO, about(json!({})));
    let person = world.redeem().await.ok().unwrap();
    assert_eq!((person.email.as_deref(), person.trust), (Some("ada@example.net"), Trust::Verified));
    assert_eq!(person.name.as_deref(), Some("Lady"));
    assert_eq!(world.peer.arrived(USER_INFO)[0].headers["authorization"], "Bearer an-access-token");
    world.peer.answer(USER_INFO, about(json!({"email_verified": "true"})));
    assert_eq!(world.redeem().await.ok().unwrap().trust, Trust::None);
    let text = |status, text: &str| Answer::Text(status, text.to_owned());
    for (answer, failure) in [
        (about(json!({"sub": "4712"})), Failure::Refused(Flaw::UserInfoSubject)),
        (about(json!({"sub": null})), Failure::Refused(Flaw::UserInfoSubject)),
        (about(json!({"sub": 4711})), Failure::Refused(Flaw::UserInfoSubject)),
        (text(200, "a.signed.token"), Failure::Refused(Flaw::UserInfo)),
        (text(401, "{}"), Failure::Refused(Flaw::UserInfo)),
        (text(503, ""), Failure::Unavailable),
        (text(429, ""), Failure::Unavailable),
        (text(302, ""), Failure::Unavailable),
        (Answer::NotSent, Failure::Unavailable),
    ] {
        world.peer.answer(USER_INFO, answer);
        assert_eq!(world.redeem().await.err(), Some(failure));
    }
    // A word in the ID token is not about the address of UserInfo.
    world.returns(&with(json!({"email": null})));
    world.peer.answer(USER_INFO, about(json!({"email_verified": null})));
    assert_eq!(world.redeem().await.ok().unwrap().trust, Trust::None);
}

#[tokio::test]
async fn the_address_of_github_is_primary_and_verified() {
    let world = World::new(&SocialProvider::github("client", "secret", CALLBACK));
    world
        .peer
        .json(GITHUB_TOKEN, &json!({"access_token": "gho_a", "token_type": "bearer", "scope": "user:email"}));
    world
        .peer
        .json(USER, &json!({"id": 583_231, "login": "ada", "name": "Ada", "email": "public@example.org"}));
    let entry = |email: &str, primary: Value, verified: Value| json!({"email": email, "primary": primary, "verified": verified});
    let other = entry("other@example.org", json!(false), json!(true));
    for (entries, email, trust) in [
        (
            json!([other, entry("ada@example.org", json!(true), json!(true))]),
            Some("ada@example.org"),
            Trust::Verified,
        ),
        (
            json!([other, entry("ada@example.org", json!(true), json!(false))]),
            Some("ada@example.org"),
            Trust::None,
        ),
        (json!([entry("ada@example.org", json!(true), json!("true"))]), Some("ada@example.org"), Trust::None),
        (json!([entry("ada@example.org", json!(1), json!(true))]), None, Trust::None),
        (json!([other]), None, Trust::None),
        (json!([]), None, Trust::None),
    ] {
        world.peer.json(EMAILS, &entries);
        let person = world.redeem().await.ok().unwrap();
        assert_eq!((person.issuer.as_str(), person.subject.as_str()), ("github", "583231"));
        assert_eq!((person.email.as_deref(), person.trust), (email, trust), "{entries}");
        assert_eq!(person.name.as_deref(), Some("Ada"));
    }
    let sent = &world.peer.arrived(GITHUB_TOKEN)[0];
    assert!(
        sent.body.ends_with("&client_id=client&client_secret=secret")
            && !sent.headers.contains_key("authorization")
    );
    assert_eq!(world.peer.arrived(EMAILS)[0].headers["authorization"], "Bearer gho_a");
    assert!(!sent.is_configured);
    let text = |status, text: &str| Answer::Text(status, text.to_owned());
    for (answer, failure) in [
        (text(404, "{}"), None),
        (text(401, "{}"), Some(Failure::Refused(Flaw::UserInfo))),
        (text(200, "{}"), Some(Failure::Refused(Flaw::UserInfo))),
        (text(200, r#"[],"a":[]"#), Some(Failure::Refused(Flaw::UserInfo))),
        (text(500, ""), Some(Failure::Unavailable)),
    ] {
        world.peer.answer(EMAILS, answer);
        assert_eq!(world.redeem().await.err(), failure);
    }
    for id in [json!("583231"), json!(0), json!(-1), json!(1.5), json!(null)] {
        world.peer.json(USER, &json!({"id": id, "name": "Ada"}));
        assert_eq!(flaw(world.redeem().await), Flaw::Subject);
    }
    let enterprise = SocialProvider::github("client", "secret", CALLBACK)
        .github_server("https://git.example", "https://git.example/api/v3");
    assert_eq!(enterprise.issuer(), "https://git.example");
}

struct ForgeProfile;

#[async_trait]
impl ReadsProfile for ForgeProfile {
    async fn profile(&self, granted: Granted<'_>, client: &ProviderClient) -> Result<Profile, ProfileError> {
        let user = client.get_json("https://forge.example/user", granted).await?;
        let id = user["id"].as_str().ok_or_else(|| ProfileError::refused("no id"))?;
        Ok(Profile::new(id).with_email("ada@example.org", Trust::Authoritative).with_name("Ada"))
    }
}

#[tokio::test]
async fn a_host_reads_the_profile_of_another_provider() {
    let token = "https://forge.example/token";
    let endpoints = || OAuthEndpoints {
        authorize: "https://forge.example/authorize?a=b".to_owned(),
        token: token.to_owned(),
    };
    let forge = SocialProvider::oauth2("forge", endpoints(), "client", CALLBACK, ForgeProfile);
    let world = World::new(&forge);
    let request =
        Authorization { redirect_uri: CALLBACK, state: "s", nonce: NONCE, verifier: VERIFIER, fresh: false };
    let url = world.remote.authorization_url(&request).await.unwrap();
    assert!(
        url.starts_with("https://forge.example/authorize?a=b&response_type=code&") && !url.contains("scope")
    );
    world.peer.json(token, &json!({"access_token": "a"}));
    let user = "https://forge.example/user";
    world.peer.json(user, &json!({"id": "7"}));
    let person = world.redeem().await.ok().unwrap();
    assert_eq!(
        (person.issuer.as_str(), person.subject.as_str(), person.trust),
        (token, "7", Trust::Authoritative)
    );
    assert!(world.peer.arrived(user)[0].is_configured);
    let text = |status, text: &str| Answer::Text(status, text.to_owned());
    for (answer, failure) in [
        (text(200, "{}"), Failure::Refused(Flaw::Profile)),
        (text(200, r#"{"id":""}"#), Failure::Refused(Flaw::Subject)),
        (text(200, "<html>"), Failure::Refused(Flaw::Profile)),
        (text(403, ""), Failure::Refused(Flaw::Profile)),
        (text(302, ""), Failure::Unavailable),
        (text(429, ""), Failure::Unavailable),
        (Answer::Failed, Failure::Unavailable),
    ] {
        world.peer.answer(user, answer);
        assert_eq!(world.redeem().await.err(), Some(failure));
    }
    let careful = World::new(&forge.trust(Trust::Verified));
    careful.peer.json(token, &json!({"access_token": "a"}));
    careful.peer.json(user, &json!({"id": "7"}));
    assert_eq!(careful.redeem().await.ok().unwrap().trust, Trust::Verified);
    assert_eq!(flaw(careful.remote.verify_native("a.b.c", NONCE).await), Flaw::NotOffered);
}
