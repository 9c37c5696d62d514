//! Many logins at once: the queue of password hashes ends in a 503, other routes are served meanwhile, and places come back
//! (ASVS 6.3.1, 15.2.2; RFC 9110 §10.2.3).

use super::target::{INVALID_CREDENTIALS, Target, no_limits};
use crate::support::{Call, EMAIL, PASSWORD, at_once};
use serde_json::json;
use std::num::NonZeroUsize;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// How many attacks the tests of this family make.
pub(super) const ATTACKS: usize = 4;

const CROWD: usize = 200;

/// A host with one thread for passwords, and room for few that wait.
async fn with_a_short_queue() -> Target {
    let config = |config: axum_auth_module::config::AuthConfigBuilder| {
        // A hash takes long enough that all are there before the first is done.
        config.password_threads(NonZeroUsize::MIN).password_queue(16).bcrypt_cost(8).limits(no_limits())
    };
    let target = Target::with(config).await;
    target.register(EMAIL).await;
    target
}

fn wrong(target: &Target, n: usize) -> Call {
    target.login_call(EMAIL, "wrong").from(&format!("203.0.113.{n}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_logins_at_once() {
    let target = with_a_short_queue().await;
    let access = target.login(EMAIL).await.access;
    let crowd = (0..CROWD).map(|n| wrong(&target, n).into_future());
    let (answers, ()) = tokio::join!(at_once(crowd.collect::<Vec<_>>()), async {
        for path in ["/me", "/claims", "/auth/user/confirmed-password-status"] {
            target.serves(path, target.get(path).bearer(&access), 200).await;
        }
    });
    let count = |refusal| answers.iter().filter(|answer| (answer.status, answer.code()) == refusal).count();
    let (refused, overloaded) = (count(INVALID_CREDENTIALS), count((503, "overloaded")));
    assert_eq!(refused + overloaded, CROWD);
    target.withstands("what fits into the queue is answered", refused >= 16);
    target.withstands("what does not is refused", overloaded > 0);
    target.expects_failures(overloaded);
    target.serves("the next login", target.login_call(EMAIL, PASSWORD), 200).await;
    target.finish(2).await;
}

/// One client has at most a quarter of the queue.
#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_logins_of_one_client() {
    let target = with_a_short_queue().await;
    let crowd = (0..CROWD).map(|_| target.login_call(EMAIL, "wrong").into_future()).collect::<Vec<_>>();
    let owner = async {
        let mut statuses = Vec::new();
        for _ in 0..3 {
            statuses.push(target.login_call(EMAIL, PASSWORD).from("198.51.100.7").await.status);
        }
        statuses
    };
    let (answers, owner) = tokio::join!(at_once(crowd), owner);
    let overloaded = answers.iter().filter(|answer| answer.code() == "overloaded").count();
    target.expects_failures(overloaded);
    target.withstands("it is refused more than its share", overloaded > 0);
    target.works(format!("another client logs in: {owner:?}"), owner == [200; 3]);
    target.finish(1).await;
}

/// Clients that hang up leave no place in the queue behind.
#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_clients_that_hang_up() {
    let target = with_a_short_queue().await;
    let body = json!({ "email": EMAIL, "password": "wrong" }).to_string();
    for n in 0..CROWD {
        let request = format!(
            "POST /auth/login HTTP/1.1\r\nhost: x\r\nx-forwarded-for: 203.0.113.{n}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(target.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
    }
    let mut tries = 0;
    // What they have begun is done first.
    while tries < 100_000 && target.login_call(EMAIL, PASSWORD).await.status == 503 {
        tries += 1;
        target.expects_failures(1);
        tokio::task::yield_now().await;
    }
    target.withstands(format!("a login after {tries} tries"), tries < 100_000);
    let logins =
        (0..4).map(|n| target.login_call(EMAIL, PASSWORD).from(&format!("198.51.100.{n}")).into_future());
    for answer in at_once(logins.collect::<Vec<_>>()).await {
        target.works("four at once", answer.status == 200);
    }
    target.finish(1).await;
}
