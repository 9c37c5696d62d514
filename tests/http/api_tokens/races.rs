//! What happens to API tokens at the same time.

use super::{NAME, as_program, create, list, text, token};
use crate::change_emails::{unlimited, verified};
use crate::support::places::{Place, in_every_place};
use crate::support::{EMAIL, at_once};
use serde_json::json;
use std::sync::Arc;

in_every_place![
    no_number_of_requests_at_once_makes_more_than_50,
    a_token_that_is_revoked_during_its_uses_stays_revoked,
];

async fn no_number_of_requests_at_once_makes_more_than_50(place: &Place) {
    let apps = Arc::new([place.start_with(unlimited).await, place.start_with(unlimited).await]);
    let tokens = Arc::new(verified(&apps[0], EMAIL).await);
    for _ in 0..40 {
        token(&apps[0], &tokens, &["demo:read"]).await;
    }
    let body = || json!({ "name": NAME, "scopes": ["demo:read"] });
    // On a busy machine, twenty turns can take longer than the two seconds for which a request waits for its turn (specification §11.10).
    let calls = (0..20).map(|number| {
        let (apps, tokens) = (Arc::clone(&apps), Arc::clone(&tokens));
        async move {
            loop {
                let answer = create(&apps[number % 2], &tokens, body()).await;
                if answer.status != 503 {
                    return answer;
                }
            }
        }
    });
    let statuses: Vec<_> = at_once(calls).await.iter().map(|answer| answer.status).collect();
    let number = |status| statuses.iter().filter(|own| **own == status).count();
    assert_eq!((number(201), number(409)), (10, 10), "{statuses:?}");
    assert_eq!(list(&apps[1], &tokens).await.len(), 50);
}

async fn a_token_that_is_revoked_during_its_uses_stays_revoked(place: &Place) {
    let app = place.start_with(unlimited).await;
    let tokens = verified(&app, EMAIL).await;
    for _ in 0..place.rounds(60) {
        let created =
            create(&app, &tokens, json!({ "name": NAME, "scopes": ["demo:read"] })).await.expect(201);
        let path = format!("{}/{}", super::PATH, created.body["id"].as_str().unwrap());
        let used = as_program(app.get("/api/read"), &text(&created));
        let calls = [used.into_future(), app.delete(&path).bearer(&tokens.access).into_future()];
        let answers = at_once(calls).await;
        assert!([200, 401].contains(&answers[0].status) && answers[1].status == 200, "{}", answers[0].text);
        app.auth.background_work_finished().await;
        as_program(app.get("/api/read"), &text(&created)).await.refused(401, "invalid_api_token");
        assert_eq!(list(&app, &tokens).await.len(), 0);
    }
}
