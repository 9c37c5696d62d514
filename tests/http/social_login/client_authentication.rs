//! How the library says at the token endpoint which client it is. The provider complains about anything else.

use super::site::{Site, ada};
use crate::support::EMAIL;
use crate::support::provider::Auth;
use crate::support::routers::on_both_routers;

on_both_routers![
    the_secret_is_in_the_header_unless_the_metadata_says_otherwise,
    an_option_decides_against_the_metadata,
    a_public_client_sends_its_id_alone,
    a_wrong_client_is_refused,
];

async fn is_accepted(at_the_provider: Auth, option: Option<Auth>) {
    let site = Site::with(|offers| offers[0].auth = option, Default::default()).await;
    site.provider("acme").expects(at_the_provider);
    site.linked_user(EMAIL, &ada()).await;
    site.sign_in("acme", &ada()).await.signed_in();
    site.is_in_order();
}

/// "client-secret-basic".
async fn the_secret_is_in_the_header_unless_the_metadata_says_otherwise() {
    is_accepted(Auth::Basic, None).await;
    is_accepted(Auth::Post, None).await;
    // A document that says nothing: RFC 8414 §2 means the header.
    let site = Site::with(|_| {}, Default::default()).await;
    let without = |metadata: &mut serde_json::Value| {
        drop(metadata.as_object_mut().unwrap().remove("token_endpoint_auth_methods_supported"));
    };
    site.provider("acme").break_metadata(without);
    site.linked_user(EMAIL, &ada()).await;
    site.is_in_order();
}

async fn an_option_decides_against_the_metadata() {
    for auth in [Auth::Basic, Auth::Post] {
        let site = Site::with(|offers| offers[0].auth = Some(auth), Default::default()).await;
        let acme = site.provider("acme");
        acme.expects(auth);
        let other = if auth == Auth::Basic { "client_secret_post" } else { "client_secret_basic" };
        acme.break_metadata(move |metadata| {
            metadata["token_endpoint_auth_methods_supported"] = serde_json::json!([other]);
        });
        site.linked_user(EMAIL, &ada()).await;
        site.is_in_order();
    }
}

async fn a_public_client_sends_its_id_alone() {
    is_accepted(Auth::Public, Some(Auth::Public)).await;
}

async fn a_wrong_client_is_refused() {
    let site = Site::with(|offers| offers[0].auth = Some(Auth::Post), Default::default()).await;
    site.provider("acme").expects(Auth::Basic);
    site.sign_in("acme", &ada()).await.refused(422, "provider_refused");
    assert_eq!(site.provider("acme").complaints().len(), 1);
}
