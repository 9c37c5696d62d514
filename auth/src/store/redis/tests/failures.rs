//! A Redis that is not there, is killed, does not answer, or answers with errors. These tests measure time, because the
//! contract promises it.

use super::{MINUTE, RedisServer, RedisStore, take};
use crate::store::EphemeralStore;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, Commands};
use std::time::{Duration, Instant};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

const SOON: Duration = Duration::from_secs(2);

/// Every operation fails, each of them soon, whether they come one by one or together.
async fn fails(store: &RedisStore) {
    let window = crate::store::Window::new(1);
    let began = Instant::now();
    store.get("k").await.unwrap_err();
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    let began = Instant::now();
    let (put, swap, delete, count, give_back) = tokio::join!(
        store.put("k", b"", MINUTE),
        store.swap("k", None, b"", MINUTE),
        store.delete("k"),
        store.count("k", 1, MINUTE),
        store.give_back("k", window),
    );
    assert!(put.is_err() && swap.is_err() && delete.is_err() && count.is_err() && give_back.is_err());
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
}

/// The store works again soon, whatever the first operations after the failure return.
async fn recovers(store: &RedisStore) {
    let began = Instant::now();
    while store.put("k", b"value", MINUTE).await.is_err() {
        assert!(began.elapsed() < 2 * SOON, "it has not recovered");
    }
    assert_eq!(store.get("k").await.unwrap().as_deref(), Some(&b"value"[..]));
    store.delete("k").await.unwrap();
    let window = take(store, "k", 1).await;
    store.give_back("k", window).await.unwrap();
    assert!(store.swap("k", None, b"", MINUTE).await.unwrap());
    store.delete("k").await.unwrap();
}

/// A store of each kind.
async fn stores(server: &RedisServer) -> [RedisStore; 2] {
    let client = Client::open(server.url()).unwrap();
    let manager = ConnectionManager::new_lazy_with_config(client, ConnectionManagerConfig::new()).unwrap();
    [RedisStore::connect(&server.url()).unwrap(), RedisStore::from_manager(manager)]
}

#[tokio::test]
async fn a_redis_that_starts_later_is_used_then() {
    let mut server = RedisServer::stopped(&[]);
    let store = RedisStore::connect(&server.url()).unwrap();
    fails(&store).await;
    if server.run() {
        recovers(&store).await;
    }
}

#[tokio::test]
async fn a_redis_that_is_killed_fails_until_it_is_back() {
    let Some(mut server) = RedisServer::start(&[]) else { return };
    for store in stores(&server).await {
        recovers(&store).await;
        server.kill();
        fails(&store).await;
        server.run();
        recovers(&store).await;
    }
}

#[tokio::test]
async fn a_redis_that_is_frozen_fails_until_it_goes_on() {
    let Some(server) = RedisServer::start(&[]) else { return };
    for store in stores(&server).await {
        recovers(&store).await;
        server.freeze();
        fails(&store).await;
        server.thaw();
        recovers(&store).await;
        // Also one that is frozen before the first connection.
        server.freeze();
        fails(&RedisStore::connect(&server.url()).unwrap()).await;
        server.thaw();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_operations_on_a_frozen_redis_fail_soon() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let store = RedisStore::connect(&server.url()).unwrap();
    recovers(&store).await;
    server.freeze();
    for _ in 0..2 {
        let began = Instant::now();
        let operations = (0..100).map(|_| {
            let store = store.clone();
            tokio::spawn(async move { store.count("k", 5, MINUTE).await })
        });
        for operation in operations.collect::<Vec<_>>() {
            operation.await.unwrap().unwrap_err();
        }
        assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    }
    server.thaw();
    recovers(&store).await;
}

/// As when the machine at the other end is gone: no packet says that the connection has ended.
#[tokio::test]
async fn a_connection_that_no_longer_answers_is_replaced() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let (port, proxy) = (server.port(), TcpListener::bind("127.0.0.1:0").await.unwrap());
    let url = format!("redis://{}", proxy.local_addr().unwrap());
    let (silence, silenced) = watch::channel(false);
    tokio::spawn(async move {
        loop {
            let (mut client, _) = proxy.accept().await.unwrap();
            let mut redis = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            let mut silenced = silenced.clone();
            tokio::spawn(async move {
                let silence = async { drop(silenced.wait_for(|is_silent| *is_silent).await) };
                tokio::select! {
                    biased;
                    // The connection stays open.
                    () = silence => std::future::pending().await,
                    _ = copy_bidirectional(&mut client, &mut redis) => {}
                }
            });
        }
    });
    let store = RedisStore::connect(&url).unwrap();
    store.put("k", b"value", MINUTE).await.unwrap();
    silence.send(true).unwrap();
    // The first waits for a response, the second for the login on a new connection.
    store.get("k").await.unwrap_err();
    store.get("k").await.unwrap_err();
    silence.send(false).unwrap();
    assert_eq!(store.get("k").await.unwrap().as_deref(), Some(&b"value"[..]));
}

/// The end of the connection arrives some time.
async fn noticed(store: &RedisStore) {
    let broken = async {
        while !store.link.is_broken() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), broken).await.expect("the store notices it");
}

/// Redis closes connections that are idle, if it is so configured. No operation may fail on that.
#[tokio::test]
async fn a_connection_that_redis_has_closed_is_replaced_before_an_operation_fails() {
    let Some(mut server) = RedisServer::start(&[]) else { return };
    let store = RedisStore::connect(&server.url()).unwrap();
    store.put("k", b"", MINUTE).await.unwrap();
    let mut admin = Client::open(server.url()).unwrap().get_connection().unwrap();
    let closed: u32 = redis::cmd("CLIENT").arg(&["KILL", "TYPE", "normal"]).query(&mut admin).unwrap();
    assert_eq!(closed, 1);
    noticed(&store).await;
    store.get("k").await.unwrap();
    server.kill();
    noticed(&store).await;
    server.run();
    store.get("k").await.unwrap();
}

#[tokio::test]
async fn a_script_that_redis_has_forgotten_is_loaded_again() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let store = RedisStore::connect(&server.url()).unwrap();
    take(&store, "k", 5).await;
    let mut admin = Client::open(server.url()).unwrap().get_connection().unwrap();
    let () = redis::cmd("SCRIPT").arg("FLUSH").query(&mut admin).unwrap();
    take(&store, "k", 5).await;
    assert!(store.swap("k", None, b"", MINUTE).await.unwrap());
}

#[tokio::test]
async fn after_a_failover_the_new_primary_is_used() {
    let (Some(server), Some(primary)) = (RedisServer::start(&[]), RedisServer::start(&[])) else { return };
    let store = RedisStore::connect(&server.url()).unwrap();
    store.put("k", b"", MINUTE).await.unwrap();
    let mut admin = Client::open(server.url()).unwrap().get_connection().unwrap();
    let port = primary.port().to_string();
    let () = redis::cmd("REPLICAOF").arg(&["127.0.0.1", &port]).query(&mut admin).unwrap();
    let error = store.put("k", b"", MINUTE).await.unwrap_err().to_string();
    assert!(error.contains("READONLY") || error.contains("ReadOnly"), "{error}");
    assert!(store.link.is_broken(), "the next operation connects to whatever the address leads to then");
    let () = redis::cmd("REPLICAOF").arg(&["NO", "ONE"]).query(&mut admin).unwrap();
    recovers(&store).await;
}

#[tokio::test]
async fn a_login_that_has_failed_is_tried_again() {
    let Some(server) = RedisServer::start(&["--requirepass", "first password"]) else { return };
    let url = |password: &str| server.url().replace("redis://", &format!("redis://:{password}@"));
    let store = RedisStore::connect(&url("second%20password")).unwrap();
    for _ in 0..2 {
        let error = store.get("k").await.unwrap_err();
        for text in [format!("{error}"), format!("{error:?}")] {
            assert!(!text.contains("password\"") && !text.contains("second"), "{text}");
        }
    }
    let mut admin = Client::open(url("first%20password")).unwrap().get_connection().unwrap();
    let set = ["SET", "requirepass", "second password"];
    let () = redis::cmd("CONFIG").arg(&set).query(&mut admin).unwrap();
    recovers(&store).await;
}

#[tokio::test]
async fn errors_of_redis_are_errors_of_the_store() {
    let Some(server) = RedisServer::start(&["--cluster-enabled", "yes"]) else { return };
    let store = RedisStore::connect(&server.url()).unwrap();
    let error = store.get("k").await.unwrap_err().to_string();
    assert!(error.contains("ClusterDown") || error.contains("CLUSTERDOWN"), "{error}");
    store.count("k", 1, MINUTE).await.unwrap_err();

    let Some(server) = RedisServer::start(&[]) else { return };
    let store = RedisStore::connect(&server.url()).unwrap();
    let mut admin = Client::open(server.url()).unwrap().get_connection().unwrap();
    // Somebody else's data under our keys.
    let () = admin.lpush("auth:v:k", "x").unwrap();
    let () = admin.set("auth:c:k", "x").unwrap();
    store.get("k").await.unwrap_err();
    store.swap("k", None, b"", MINUTE).await.unwrap_err();
    store.count("k", 1, MINUTE).await.unwrap_err();
    store.delete("k").await.unwrap();
    // A full memory.
    let () = redis::cmd("CONFIG").arg(&["SET", "maxmemory", "1"]).query(&mut admin).unwrap();
    let error = store.put("k", b"", MINUTE).await.unwrap_err().to_string();
    assert!(error.contains("OOM"), "{error}");
    assert!(!store.link.is_broken(), "another connection would not help");
    assert_eq!(store.get("k").await.unwrap(), None);
}
