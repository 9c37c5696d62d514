//! Requests of one session at the same time, and requests that are under way when their session ends.

use super::gate::Gate;
use super::{Host, Visit, basket, tea};
use axum_auth_module::testing::Reply;
use serde_json::json;
use tokio::task::JoinHandle;

/// A host whose store has a gate, and a session with a basket.
async fn host() -> (Host, Gate, Visit) {
    let gate = Gate::new();
    let host = Host::start_with(gate.clone(), gate.store.clone()).await;
    let visit = host.visit(&host.account("ada").await).await;
    (host, gate, visit)
}

/// Sends a request that stops before its data is stored.
async fn at_the_gate(gate: &Gate, visit: &Visit) -> JoinHandle<Reply> {
    gate.close();
    let client = visit.client.clone();
    let request = tokio::spawn(async move { client.post("/basket").json(&tea()).await });
    gate.has_come().await;
    request
}

#[tokio::test]
async fn what_is_written_after_the_end_of_the_session_does_not_stay() {
    let (host, gate, visit) = host().await;
    let request = at_the_gate(&gate, &visit).await;
    visit.client.post("/auth/logout").await.expect(200);
    assert!(host.data(&visit.id).await.is_none());
    gate.open();
    assert_eq!(request.await.unwrap().expect(401).code().unwrap(), "unauthenticated");
    assert!(host.data(&visit.id).await.is_none());
}

#[tokio::test]
async fn what_is_written_after_the_client_has_gone_does_not_stay_either() {
    let (host, gate, visit) = host().await;
    let request = at_the_gate(&gate, &visit).await;
    request.abort();
    assert!(request.await.unwrap_err().is_cancelled());
    visit.client.post("/auth/logout").await.expect(200);
    gate.has_deleted().await;
    gate.open();
    gate.has_deleted().await;
    assert!(host.data(&visit.id).await.is_none());
}

#[tokio::test]
async fn of_two_requests_none_undoes_the_other() {
    let (_host, _gate, visit) = host().await;
    let requests: Vec<_> = (0..20)
        .map(|_| {
            let client = visit.client.clone();
            tokio::spawn(async move { client.post("/basket").json(&tea()).await.expect(200) })
        })
        .collect();
    for request in requests {
        request.await.unwrap();
    }
    assert_eq!(basket(&visit.client).await, json!({ "tea": 42 }));
}

#[tokio::test]
async fn a_refresh_undoes_no_write_that_is_under_way() {
    let (host, gate, visit) = host().await;
    let request = at_the_gate(&gate, &visit).await;
    let body = json!({ "refreshToken": visit.refresh_token });
    let client = host.client();
    host.clock.advance(super::days(1));
    let refresh = tokio::spawn(async move { client.post("/auth/refresh").json(&body).await });
    let before = host.data(&visit.id).await.unwrap().expiry_date;
    while host.row(&visit.id).await.unwrap().expires_at == before {
        tokio::task::yield_now().await;
    }
    // The refresh has written the row. If it took no turn, it would be at the gate now, with the data from before the write.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    // The write, and that of the refresh behind it.
    gate.open();
    gate.open();
    request.await.unwrap().expect(200);
    let pair: serde_json::Value = refresh.await.unwrap().expect(200).json();
    let client = host.client().with_access_token(pair["accessToken"].as_str().unwrap());
    assert_eq!(basket(&client).await, json!({ "tea": 4 }));
    assert_eq!(
        host.data(&visit.id).await.unwrap().expiry_date,
        host.row(&visit.id).await.unwrap().expires_at
    );
}
