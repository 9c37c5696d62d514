//! The second request of a sign-in: what the browser brings back.

use super::site::{Site, ada, closed_site};
use super::visitor::{Flow, Visitor};
use crate::support::EMAIL;
use crate::support::provider::Return;
use crate::support::routers::{is_browser, on_both_routers};
use serde_json::{Value, json};

on_both_routers![
    an_authorization_request_has_what_the_standards_ask_for,
    a_state_that_does_not_match_is_refused_and_spends_nothing,
    an_issuer_that_does_not_match_is_refused_and_spends_nothing,
    an_issuer_is_required_if_the_provider_says_that_it_sends_one,
    a_mix_up_of_two_providers_sends_no_code_to_the_wrong_one,
    a_mix_up_of_providers_without_an_issuer_fails_at_the_token_endpoint,
    a_flow_of_one_provider_is_no_flow_of_another,
    what_another_browser_has_begun_cannot_be_finished_here,
    parameters_that_are_missing_or_unreadable_are_refused_and_spend_nothing,
    an_unknown_provider_is_not_found,
    the_list_of_providers_says_what_each_can_do,
    a_redirect_uri_must_be_one_of_the_configuration,
];

/// A visitor who is back from the provider.
async fn returned() -> (Site, Visitor, Flow, Return) {
    let site = closed_site().await;
    site.linked_user(EMAIL, &ada()).await;
    let visitor = site.visitor();
    let flow = visitor.begin("acme").await;
    let returned = site.provider("acme").consent(&flow.url, &ada());
    (site, visitor, flow, returned)
}

async fn an_authorization_request_has_what_the_standards_ask_for() {
    let site = closed_site().await;
    let visitor = site.visitor();
    let answer = visitor.authorize(super::visitor::Purpose::SignIn, "acme", &json!({})).await.expect(200);
    if is_browser() {
        assert_eq!(answer.members(), ["authorizationUrl"]);
        assert_eq!(visitor.flow_cookies().len(), 1);
    } else {
        assert_eq!(answer.members(), ["authorizationUrl", "expiresIn", "flowToken"]);
        assert_eq!(answer.body["expiresIn"], 600);
    }
    let url = answer.body["authorizationUrl"].as_str().unwrap().to_owned();
    assert!(url.starts_with("https://acme.example/authorize?"), "{url}");
    let asked = site.provider("acme").asked(&url);
    assert_eq!(asked["redirect_uri"], super::site::callback("acme"));
    for scope in ["openid", "email"] {
        assert!(asked["scope"].split(' ').any(|word| word == scope), "{}", asked["scope"]);
    }
    // Nothing of it is used for two flows.
    let again = visitor.begin("acme").await;
    let second = site.provider("acme").asked(&again.url);
    for name in ["state", "nonce", "code_challenge"] {
        assert_ne!(asked[name], second[name], "{name}");
    }
    site.is_in_order();
}

async fn a_state_that_does_not_match_is_refused_and_spends_nothing() {
    let (site, visitor, flow, returned) = returned().await;
    let right = returned.state.clone().unwrap();
    let other = site.visitor().begin("acme").await;
    let others = site.provider("acme").asked(&other.url)["state"].clone();
    let mut flipped = right.clone().into_bytes();
    let last = flipped.len() - 1;
    flipped[last] = if flipped[last] == b'A' { b'B' } else { b'A' };
    for state in [
        others,
        String::from_utf8(flipped).unwrap(),
        right[..right.len() - 1].to_owned(),
        format!("{right}A"),
        format!("{right}="),
        format!("{right} "),
        right[..8].to_owned(),
        "x".to_owned(),
        "x".repeat(5000),
    ] {
        let wrong = Return { state: Some(state), ..returned.clone() };
        visitor.finish(&flow, &wrong).await.refused(422, "invalid_flow_token");
    }
    assert_eq!(site.provider("acme").calls("/token"), 1, "that of Ada's link alone");
    visitor.finish(&flow, &returned).await.signed_in();
}

async fn an_issuer_that_does_not_match_is_refused_and_spends_nothing() {
    let (site, visitor, flow, returned) = returned().await;
    for iss in [
        "https://other.example",
        "https://acme.example/",
        "https://ACME.example",
        "http://acme.example",
        "acme.example",
        "",
        "https://acme.example https://acme.example",
    ] {
        let wrong = Return { iss: Some(iss.to_owned()), ..returned.clone() };
        visitor.finish(&flow, &wrong).await.refused(422, "provider_refused");
    }
    assert_eq!(site.provider("acme").calls("/token"), 1, "that of Ada's link alone");
    visitor.finish(&flow, &returned).await.signed_in();
}

async fn an_issuer_is_required_if_the_provider_says_that_it_sends_one() {
    let (_site, visitor, flow, returned) = returned().await;
    let without = Return { iss: None, ..returned.clone() };
    visitor.finish(&flow, &without).await.refused(422, "provider_refused");
    visitor.finish(&flow, &returned).await.signed_in();

    let site = closed_site().await;
    site.provider("acme").sends_no_iss();
    site.linked_user(EMAIL, &ada()).await;
    site.sign_in("acme", &ada()).await.signed_in();
    // Whoever sends one all the same must send the right one.
    for (iss, is_right) in [("https://other.example", false), ("https://acme.example", true)] {
        let visitor = site.visitor();
        let flow = visitor.begin("acme").await;
        let mut returned = site.provider("acme").consent(&flow.url, &ada());
        returned.iss = Some(iss.to_owned());
        let outcome = visitor.finish(&flow, &returned).await;
        assert_eq!(outcome.is_success(), is_right, "{iss}: {}", outcome.text());
    }
}

/// RFC 9207 §1: `other` has sent the browser to `acme`, or has returned acme's code as its own.
async fn a_mix_up_of_two_providers_sends_no_code_to_the_wrong_one() {
    let (site, visitor, flow, honest) = returned().await;
    let evil = visitor.begin("other").await;
    let state = site.provider("other").asked(&evil.url)["state"].clone();
    // The code of the honest provider, in a flow that was begun for the other.
    let mixed = Return { state: Some(state), ..honest.clone() };
    visitor.finish(&evil, &mixed).await.refused(422, "provider_refused");
    assert_eq!(site.provider("other").calls("/token"), 0);
    visitor.finish(&flow, &honest).await.signed_in();
}

async fn a_mix_up_of_providers_without_an_issuer_fails_at_the_token_endpoint() {
    let site = closed_site().await;
    for name in ["acme", "other"] {
        site.provider(name).sends_no_iss();
    }
    site.linked_user(EMAIL, &ada()).await;
    let visitor = site.visitor();
    let (honest, evil) = (visitor.begin("acme").await, visitor.begin("other").await);
    let at_acme = site.provider("acme").consent(&honest.url, &ada());
    // At the callback of the provider that returned it, the flow of the other one does not open.
    let crossed = Flow { provider: "other".to_owned(), ..honest.clone() };
    visitor.finish(&crossed, &at_acme).await.refused(422, "invalid_flow_token");
    let state = site.provider("other").asked(&evil.url)["state"].clone();
    let mixed = Return { state: Some(state), ..at_acme.clone() };
    visitor.finish(&evil, &mixed).await.refused(422, "provider_refused");
    visitor.finish(&honest, &at_acme).await.signed_in();
}

async fn a_flow_of_one_provider_is_no_flow_of_another() {
    let (site, visitor, flow, returned) = returned().await;
    let wrong = Flow { provider: "other".to_owned(), ..flow.clone() };
    for returned in
        [returned.clone(), Return { iss: Some("https://other.example".to_owned()), ..returned.clone() }]
    {
        visitor.finish(&wrong, &returned).await.refused(422, "invalid_flow_token");
    }
    assert_eq!(site.provider("other").calls("/token"), 0);
    visitor.finish(&flow, &returned).await.signed_in();
}

/// Login CSRF: a code, a state and a whole URL of a thief, in the browser of somebody else.
async fn what_another_browser_has_begun_cannot_be_finished_here() {
    let (site, thief, flow, returned) = returned().await;
    let victim = site.visitor();
    let own = victim.begin("acme").await;
    if is_browser() {
        victim.finish(&flow, &returned).await.refused(422, "invalid_flow_token");
        // The thief's flow under the name of the victim's cookie.
        victim.plant(&own.cookie(), &flow.token);
        victim.finish(&flow, &returned).await.refused(422, "invalid_flow_token");
        victim.plant(&own.cookie(), &own.token);
    }
    // The thief's code with the victim's own flow and state: the code belongs to another verifier.
    let state = site.provider("acme").asked(&own.url)["state"].clone();
    let mixed = Return { state: Some(state), ..returned.clone() };
    let outcome = victim.finish_with(&own, &own.token, &mixed.parameters()).await;
    outcome.refused(422, "provider_refused");
    // And the victim's code is of no use to the thief, who does not have the flow.
    let own = victim.begin("acme").await;
    let stolen = site.provider("acme").consent(&own.url, &ada());
    thief.finish_with(&own, &flow.token, &stolen.parameters()).await.refused(422, "invalid_flow_token");
    victim.finish(&own, &stolen).await.signed_in();
}

async fn parameters_that_are_missing_or_unreadable_are_refused_and_spend_nothing() {
    let (_site, visitor, flow, returned) = returned().await;
    let parameters = returned.parameters();
    if is_browser() {
        let without =
            |name: &str| parameters.iter().filter(|(own, _)| *own != name).cloned().collect::<Vec<_>>();
        let twice = |name: &'static str| {
            let again = parameters.iter().find(|(own, _)| *own == name).cloned();
            parameters.iter().cloned().chain(again).collect::<Vec<_>>()
        };
        let changed =
            [without("code"), without("state"), twice("code"), twice("state"), twice("iss"), Vec::new()];
        for parameters in changed {
            let outcome = visitor.finish_with(&flow, &flow.token, &parameters).await;
            outcome.refused(422, "invalid_flow_token");
        }
        for query in ["?code=%ff&state=%ff", "?%", "?code[]=x&state=x", "", "?code&state"] {
            let page = visitor.open(&format!("/oauth/acme/callback{query}")).await;
            page.refused("/login", "invalid_flow_token");
        }
    } else {
        let path = "/auth/oauth/acme/callback";
        let whole = |flow: Value, code: Value, state: Value| json!({ "flowToken": flow, "code": code, "state": state });
        let (token, code) = (json!(flow.token), json!(returned.code));
        let state = json!(returned.state);
        for (body, errors) in [
            (json!({}), vec!["flowToken: required", "code: required", "state: required"]),
            (whole(token.clone(), Value::Null, state.clone()), vec!["code: required"]),
            (whole(token.clone(), code.clone(), json!("")), vec!["state: required"]),
            (whole(token.clone(), json!(7), state.clone()), vec!["code: wrong_type"]),
            (whole(json!([]), code.clone(), state.clone()), vec!["flowToken: wrong_type"]),
        ] {
            let mut found = visitor.post(path, &body).await.field_errors();
            let mut errors: Vec<_> = errors.into_iter().map(str::to_owned).collect();
            found.sort();
            errors.sort();
            assert_eq!(found, errors, "{body}");
        }
        let mut body = whole(token, code, state);
        body["iss"] = json!(7);
        assert_eq!(visitor.post(path, &body).await.field_errors(), ["iss: wrong_type"]);
    }
    visitor.finish(&flow, &returned).await.signed_in();
}

async fn an_unknown_provider_is_not_found() {
    let (_site, visitor, flow, returned) = returned().await;
    for name in ["nobody", "ACME", "acme%00", "acme%20", "..", "a/b"] {
        visitor.post(&format!("/auth/oauth/{name}/authorize"), &json!({})).await.refused(404, "not_found");
        if is_browser() {
            let page = visitor.open(&format!("/oauth/{name}/callback?code=x&state=x")).await;
            assert_eq!(page.status, 404, "{name}");
        } else {
            let body = json!({ "flowToken": flow.token, "code": returned.code, "state": returned.state });
            visitor.post(&format!("/auth/oauth/{name}/callback"), &body).await.refused(404, "not_found");
        }
    }
    visitor.finish(&flow, &returned).await.signed_in();
}

async fn the_list_of_providers_says_what_each_can_do() {
    let site = Site::with(|offers| offers[1].audiences = vec!["an app".to_owned()], Default::default()).await;
    let listed = site.visitor().get("/auth/oauth/providers").await.expect(200).body;
    assert_eq!(
        listed,
        json!([{ "name": "acme", "nativeIdToken": false }, { "name": "other", "nativeIdToken": true }])
    );
}

async fn a_redirect_uri_must_be_one_of_the_configuration() {
    let second = "https://shop.example.net/web/auth/oauth/acme/callback";
    let app = "com.example.shop:/callback";
    let loopback = "http://127.0.0.1/callback";
    let change = |offers: &mut Vec<super::site::Offer>| {
        offers[0].redirects.extend([second, app, loopback].map(str::to_owned));
    };
    let site = Site::with(change, Default::default()).await;
    site.linked_user(EMAIL, &ada()).await;
    let begin = |uri: &str| {
        let body = json!({ "redirectUri": uri });
        let visitor = site.visitor();
        async move { visitor.authorize(super::visitor::Purpose::SignIn, "acme", &body).await }
    };
    let mut good = vec![second.to_owned(), super::site::callback("acme")];
    let apps = [app.to_owned(), loopback.to_owned(), "http://127.0.0.1:49152/callback".to_owned()];
    let mut bad = vec![
        "https://shop.example.net/web/auth/oauth/acme/callback/".to_owned(),
        "https://shop.example.net/web/auth/oauth/acme/callback?x=1".to_owned(),
        "https://shop.example.net/web/auth/oauth/acme/callback#x".to_owned(),
        "https://shop.example.net:443/web/auth/oauth/acme/callback".to_owned(),
        "https://SHOP.example.net/web/auth/oauth/acme/callback".to_owned(),
        "https://evil.example/web/auth/oauth/acme/callback".to_owned(),
        "http://127.0.0.1:49152/elsewhere".to_owned(),
        "http://127.0.0.2:49152/callback".to_owned(),
        "http://user@127.0.0.1:49152/callback".to_owned(),
        "http://localhost:49152/callback".to_owned(),
        super::site::callback("other"),
        "x".to_owned(),
    ];
    // A browser comes back to the path of its callback alone.
    if is_browser() {
        bad.extend(apps);
    } else {
        good.extend(apps);
    }
    for uri in good {
        let answer = begin(&uri).await.expect(200);
        let asked = site.provider("acme").asked(answer.body["authorizationUrl"].as_str().unwrap());
        assert_eq!(asked["redirect_uri"], uri);
    }
    for uri in bad {
        assert_eq!(begin(&uri).await.field_errors(), ["redirectUri: invalid"], "{uri}");
    }
    // The code is asked for with the redirect URI of the flow.
    let visitor = site.visitor();
    let flow =
        visitor.begin_for(super::visitor::Purpose::SignIn, "acme", &json!({ "redirectUri": second })).await;
    let returned = site.provider("acme").consent(&flow.url, &ada());
    visitor.finish(&flow, &returned).await.signed_in();
    site.is_in_order();
}
