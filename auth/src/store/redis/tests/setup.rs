//! URLs, and what the store says about its Redis.

use super::{MINUTE, RedisServer, RedisStore};
use crate::store::{EphemeralStore, InvalidRedisUrl};
use redis::Client;

fn refused(url: &str) -> String {
    let error: InvalidRedisUrl =
        RedisStore::connect(url).err().unwrap_or_else(|| panic!("{url} is accepted"));
    format!("{error} {error:?}")
}

/// Without a runtime: a host may make its store before it starts one.
#[test]
fn connecting_is_lazy() {
    for url in [
        "redis://192.0.2.1",
        "redis://user:p%40ss@redis.invalid:6380/3",
        "redis://[::1]:6379/?protocol=resp2",
        "valkey://localhost",
        "redis+unix:///run/redis.sock?db=1",
    ] {
        assert!(RedisStore::connect(url).is_ok(), "{url}");
    }
}

#[test]
fn a_malformed_url_is_refused_and_never_shown() {
    let secret = "s3cret";
    for url in [
        "",
        "localhost:6379",
        "http://:s3cret@localhost",
        "redis://:s3cret@",
        "redis://:s3cret@localhost:port",
        "redis://:s3cret@localhost/database",
        "redis://:s3cret@0.0.0.0",
        "redis://localhost/?protocol=s3cret",
        "redis://user:1?protocol=s3cret@localhost",
        "rediss://:s3cret@localhost",
    ] {
        let text = refused(url);
        assert!(text.starts_with("the URL of Redis is invalid ("), "{text}");
        assert!(text.contains("redis://user:password@host:port/database"), "{text}");
        assert!(!text.contains(secret), "{text}");
    }
    assert!(refused("rediss://localhost").contains("TLS"));
}

#[tokio::test]
async fn a_policy_that_evicts_is_a_warning() {
    let Some(server) = RedisServer::start(&["--maxmemory-policy", "allkeys-lru"]) else { return };
    let store = RedisStore::connect(&server.url()).unwrap();
    let [failover] = &store.warnings()[..] else { panic!("{:?}", store.warnings()) };
    assert!(failover.contains("replica"), "{failover}");
    store.put("k", b"", MINUTE).await.unwrap();
    let [_, eviction] = &store.warnings()[..] else { panic!("{:?}", store.warnings()) };
    assert!(eviction.contains("`allkeys-lru`") && eviction.contains("`noeviction`"), "{eviction}");

    let Some(server) = RedisServer::start(&["--maxmemory-policy", "noeviction"]) else { return };
    let store = RedisStore::connect(&server.url()).unwrap();
    store.put("k", b"", MINUTE).await.unwrap();
    assert_eq!(store.warnings().len(), 1);
}

/// The servers of two tests, of which one took the port of the other.
#[tokio::test]
async fn two_tests_never_have_one_redis() {
    let Some(one) = RedisServer::start(&[]) else { return };
    let another = RedisServer::start_at(one.port(), &[]).unwrap();
    assert_ne!(one.port(), another.port());
    let [one, another] = [&one, &another].map(|server| RedisStore::connect(&server.url()).unwrap());
    one.put("k", b"", MINUTE).await.unwrap();
    assert_eq!(another.get("k").await.unwrap(), None);
}

#[tokio::test]
async fn a_redis_that_does_not_show_its_policy_is_used_with_a_warning() {
    let Some(server) = RedisServer::start(&[]) else { return };
    let mut admin = Client::open(server.url()).unwrap().get_connection().unwrap();
    let user = ["SETUSER", "auth", "on", ">password", "~auth:*", "+@all", "-info"];
    let () = redis::cmd("ACL").arg(&user).query(&mut admin).unwrap();
    let store = RedisStore::connect(&server.url().replace("redis://", "redis://auth:password@")).unwrap();
    store.put("k", b"", MINUTE).await.unwrap();
    let [_, eviction] = &store.warnings()[..] else { panic!("{:?}", store.warnings()) };
    assert!(eviction.contains("cannot be read"), "{eviction}");
}
