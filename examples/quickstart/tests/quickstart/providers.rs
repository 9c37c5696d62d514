//! How the environment configures providers. The file with the names of the variables is compiled into these tests.

#[path = "../../src/providers.rs"]
mod settings;

use settings::{Link, Providers, Word};

const PAGE: &str = "http://localhost:3000";

/// The providers of these variables, or the errors, one line each.
fn read(variables: &[(&str, &str)]) -> Result<Providers, Vec<String>> {
    let variable =
        |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    Providers::read(variable, PAGE).map_err(|problems| {
        problems.iter().map(|problem| format!("{}: {}", problem.option, problem.message)).collect()
    })
}

fn refusal(variables: &[(&str, &str)]) -> Vec<String> {
    read(variables).err().unwrap_or_else(|| panic!("{variables:?} is accepted"))
}

#[test]
fn without_variables_there_is_no_provider() {
    assert!(read(&[]).unwrap().is_empty());
}

#[test]
fn an_issuer_and_a_client_are_enough() {
    let providers =
        read(&[("OIDC_ISSUER", "https://id.example.com/tenant"), ("OIDC_CLIENT_ID", "shop")]).unwrap();
    assert!(!providers.is_empty() && providers.google.is_none() && providers.github.is_none());
    let [provider] = providers.openid.try_into().ok().expect("one");
    assert_eq!((provider.name.as_str(), provider.issuer.as_str()), ("oidc", "https://id.example.com/tenant"));
    assert_eq!((provider.client_id.as_str(), provider.client_secret), ("shop", None));
    assert_eq!(provider.redirect_uris, ["http://localhost:3000/web/auth/oauth/oidc/callback"]);
    assert_eq!((provider.trust, provider.link_by_email), (Word::Verified, Link::Never));
    assert!(provider.id_token_audiences.is_empty());
}

#[test]
fn every_variable_is_read() {
    let providers = read(&[
        ("OIDC_NAME", "acme"),
        ("OIDC_ISSUER", "http://127.0.0.1:4000"),
        ("OIDC_CLIENT_ID", "shop"),
        ("OIDC_CLIENT_SECRET", "s"),
        ("OIDC_REDIRECT_URI", "com.example.shop:/callback, http://127.0.0.1/callback,"),
        ("OIDC_TRUST", "authoritative"),
        ("OIDC_LINK_BY_EMAIL", "verified"),
        ("OIDC_ID_TOKEN_AUDIENCES", "phone,tablet"),
        ("OIDC2_ISSUER", "http://[::1]:4001/"),
        ("OIDC2_CLIENT_ID", "shop"),
        ("OIDC2_TRUST", "none"),
        ("GOOGLE_CLIENT_ID", "g"),
        ("GOOGLE_CLIENT_SECRET", "gs"),
        ("GITHUB_CLIENT_ID", "h"),
        ("GITHUB_CLIENT_SECRET", "hs"),
        ("GITHUB_URL", "https://git.example.com"),
        ("GITHUB_API_URL", "https://git.example.com/api/v3"),
    ])
    .unwrap();
    let [one, two] = providers.openid.try_into().ok().expect("two");
    assert_eq!((one.name.as_str(), one.client_secret.as_deref()), ("acme", Some("s")));
    assert_eq!(one.redirect_uris, ["com.example.shop:/callback", "http://127.0.0.1/callback"]);
    assert_eq!((one.trust, one.link_by_email), (Word::Authoritative, Link::Verified));
    assert_eq!(one.id_token_audiences, ["phone", "tablet"]);
    assert_eq!(
        (two.name.as_str(), two.issuer.as_str(), two.trust),
        ("oidc2", "http://[::1]:4001/", Word::Nothing)
    );
    let google = providers.google.expect("Google");
    assert_eq!((google.client_id.as_str(), google.client_secret.as_str()), ("g", "gs"));
    assert_eq!(google.redirect_uri, "http://localhost:3000/web/auth/oauth/google/callback");
    let github = providers.github.expect("GitHub");
    assert_eq!((github.client.client_id.as_str(), github.client.client_secret.as_str()), ("h", "hs"));
    assert_eq!(github.client.redirect_uri, "http://localhost:3000/web/auth/oauth/github/callback");
    assert_eq!(
        github.urls.expect("another GitHub"),
        ["https://git.example.com", "https://git.example.com/api/v3"]
    );
}

#[test]
fn what_is_missing_is_named_with_what_needs_it() {
    for (given, missing) in [
        (("OIDC_CLIENT_ID", "x"), &["OIDC_ISSUER: required with OIDC_CLIENT_ID"][..]),
        (
            ("OIDC_TRUST", "none"),
            &["OIDC_ISSUER: required with OIDC_TRUST", "OIDC_CLIENT_ID: required with OIDC_TRUST"],
        ),
        (("GOOGLE_CLIENT_ID", "x"), &["GOOGLE_CLIENT_SECRET: required with GOOGLE_CLIENT_ID"]),
        (("GITHUB_CLIENT_SECRET", "x"), &["GITHUB_CLIENT_ID: required with GITHUB_CLIENT_SECRET"]),
        (("GITHUB_URL", "https://git.example.com"), &["GITHUB_API_URL: required with GITHUB_URL"]),
    ] {
        assert_eq!(refusal(&[given]), missing);
    }
}

#[test]
fn all_errors_are_reported_at_once_without_values() {
    let errors = refusal(&[
        ("OIDC_NAME", "Wrong Name"),
        ("OIDC_ISSUER", "http://wrong.example"),
        ("OIDC_CLIENT_ID", "x"),
        ("OIDC_TRUST", "wrong-trust"),
        ("OIDC_LINK_BY_EMAIL", "wrong-link"),
        ("GOOGLE_CLIENT_SECRET", "wrong-secret"),
    ]);
    let named: Vec<_> = errors.iter().map(|error| error.split_once(": ").expect("a name").0).collect();
    let expected = ["OIDC_ISSUER", "OIDC_NAME", "OIDC_TRUST", "OIDC_LINK_BY_EMAIL", "GOOGLE_CLIENT_ID"];
    assert_eq!(named, expected, "{errors:?}");
    assert!(!errors.concat().to_lowercase().contains("wrong"), "{errors:?}");
    assert!(errors[2].contains("`none`") && errors[3].contains("`never`"), "{errors:?}");
}

#[test]
fn an_issuer_is_an_address_without_a_query() {
    for wrong in [
        "id.example.com",
        "https://",
        "https://id.example.com/?a",
        "https://id.example.com/#a",
        "ftp://localhost/",
        "",
    ] {
        let errors = refusal(&[("OIDC_ISSUER", wrong), ("OIDC_CLIENT_ID", "x")]);
        assert!(errors.len() == 1 && errors[0].starts_with("OIDC_ISSUER: expected "), "{wrong}: {errors:?}");
    }
}

#[test]
fn every_provider_has_a_name_of_its_own() {
    let issuers = [("OIDC_ISSUER", "https://a.example"), ("OIDC_CLIENT_ID", "x")];
    let refused = refusal(&[&issuers[..], &[("OIDC_NAME", "google")]].concat());
    assert_eq!(refused, ["OIDC_NAME: another provider has this name"]);
    let two = [("OIDC2_ISSUER", "https://b.example"), ("OIDC2_CLIENT_ID", "x"), ("OIDC2_NAME", "oidc")];
    assert_eq!(refusal(&[&issuers[..], &two].concat()), ["OIDC2_NAME: another provider has this name"]);
}
