//! Refreshes of one session at the same time, and with the end of the session (specification §11.3 to §11.5).

use super::{Models, SOME, count, together};
use crate::client::ClientAddress;
use crate::core::{Method, Requirements, TokenPair};
use crate::endpoint::Confirmation;
use crate::error::AuthError;
use crate::host::{ADA, Host};
use futures_util::future::{BoxFuture, FutureExt};
use shuttle::future::block_on;
use std::time::Duration;

pub(super) const MODELS: Models = &[
    ("refreshes with one token within its grace period work, and the session continues", SOME, within_grace),
    ("a token that was used long ago ends the session for every refresh", SOME, after_grace),
    (
        "while the grace period ends, a reuse ends the session and nothing else does",
        SOME,
        at_the_end_of_grace,
    ),
    ("of a stolen token and its successor at the same time, neither has a session afterwards", SOME, stolen),
    ("after a logout that overlaps a refresh there is no session", SOME, logout),
    ("after all sessions were ended, no refresh or confirmed use brings one back", SOME, end_of_all),
    ("the last use of a session that has ended is not recorded", SOME, last_use),
];

type Refreshed = Result<TokenPair, AuthError>;

fn is_reused(refreshed: &Refreshed) -> bool {
    matches!(refreshed, Err(AuthError::RefreshTokenReused))
}

fn is_invalid(refreshed: &Refreshed) -> bool {
    matches!(refreshed, Err(AuthError::InvalidRefreshToken))
}

fn refresh(host: &Host, token: &str) -> BoxFuture<'static, Refreshed> {
    let (host, token) = (host.clone(), token.to_owned());
    async move { host.refresh(&token).await }.boxed()
}

/// A host with a session.
async fn signed_in() -> (Host, TokenPair) {
    let host = Host::new();
    let pair = host.sign_in(&host.user().await).await.expect("a session");
    (host, pair)
}

fn within_grace() {
    let (host, pair) = block_on(signed_in());
    let refreshed = together((0..3).map(|_| refresh(&host, &pair.refresh_token)));
    block_on(async {
        for pair in refreshed {
            let pair = pair.unwrap_or_else(|error| panic!("a refresh was refused: {error}"));
            assert!(host.accepts(&pair).await);
            // One chain: each client can go on with what it got.
            assert!(host.refresh(&pair.refresh_token).await.is_ok());
        }
    });
}

fn after_grace() {
    let (host, pair) = block_on(signed_in());
    let next = block_on(host.refresh(&pair.refresh_token)).unwrap_or_else(|error| panic!("{error}"));
    host.time.advance(Duration::from_secs(10));
    let refreshed = together((0..2).map(|_| refresh(&host, &pair.refresh_token)));
    assert!(refreshed.iter().all(|one| is_reused(one) || is_invalid(one)) && refreshed.iter().any(is_reused));
    block_on(async {
        assert!(!host.has_session(&pair.session_id).await && !host.accepts(&next).await);
        assert!(is_invalid(&host.refresh(&next.refresh_token).await));
    });
}

fn at_the_end_of_grace() {
    let (host, pair) = block_on(signed_in());
    let later = host.clone();
    let clock = async move {
        later.time.advance(Duration::from_secs(10));
        Err(AuthError::Unauthenticated)
    };
    let refreshes = (0..3).map(|_| refresh(&host, &pair.refresh_token));
    let refreshed = together(refreshes.chain([clock.boxed()]));
    block_on(async {
        let refreshed = &refreshed[..3];
        let ended = refreshed.iter().any(is_reused);
        assert_eq!(host.has_session(&pair.session_id).await, !ended);
        for one in refreshed {
            match one {
                Ok(pair) => assert_eq!(host.accepts(pair).await, !ended),
                Err(_) => assert!(is_reused(one) || (ended && is_invalid(one))),
            }
        }
        assert!(count(refreshed, Result::is_ok) >= 1, "the first one always works");
    });
}

fn stolen() {
    let (host, pair) = block_on(signed_in());
    let next = block_on(host.refresh(&pair.refresh_token)).unwrap_or_else(|error| panic!("{error}"));
    host.time.advance(Duration::from_secs(11));
    let refreshed = together([&pair, &next].map(|pair| refresh(&host, &pair.refresh_token)));
    assert!(is_reused(&refreshed[0]));
    assert!(refreshed[1].is_ok() || is_invalid(&refreshed[1]));
    block_on(async {
        assert!(!host.has_session(&pair.session_id).await);
        for pair in refreshed.iter().flatten() {
            assert!(!host.accepts(pair).await && is_invalid(&host.refresh(&pair.refresh_token).await));
        }
    });
}

fn logout() {
    let (host, pair) = block_on(signed_in());
    let who = block_on(host.authenticate(&pair.access_token)).unwrap_or_else(|error| panic!("{error}"));
    let leaving = host.clone();
    let logout = async move {
        leaving.core.log_out(&who, ClientAddress::UNKNOWN).await.expect("a logout succeeds");
        Err(AuthError::InvalidRefreshToken)
    };
    let refreshes = (0..2).map(|_| refresh(&host, &pair.refresh_token));
    let refreshed = together(refreshes.chain([logout.boxed()]));
    no_session_is_left(&host, &pair, &refreshed);
}

fn end_of_all() {
    let (host, pair) = block_on(signed_in());
    let (ending, using) = (host.clone(), host.clone());
    let end = async move {
        ending.core.end_all_sessions(ADA).await.expect("the rows answer");
        Err(AuthError::InvalidRefreshToken)
    };
    let access_token = pair.access_token.clone();
    let confirm = async move {
        if let Ok(who) = using.authenticate(&access_token).await {
            let nothing = Requirements { confirmation: Confirmation::NOTHING, calls: &[] };
            let acting = using.core.begin_with(nothing, &who, ClientAddress::UNKNOWN).await;
            let acting = acting.unwrap_or_else(|error| panic!("{error}"));
            // It may succeed or not, by what is first.
            let _confirmed = using.core.record_confirmation(&acting, Method::Password, None).await;
        }
        Err(AuthError::InvalidRefreshToken)
    };
    let refreshed = together([refresh(&host, &pair.refresh_token), end.boxed(), confirm.boxed()]);
    no_session_is_left(&host, &pair, &refreshed);
}

fn no_session_is_left(host: &Host, pair: &TokenPair, refreshed: &[Refreshed]) {
    block_on(async {
        assert!(!host.has_session(&pair.session_id).await && !host.accepts(pair).await);
        for one in refreshed {
            match one {
                Ok(pair) => {
                    assert!(
                        !host.accepts(pair).await && is_invalid(&host.refresh(&pair.refresh_token).await)
                    );
                }
                Err(_) => assert!(is_invalid(one)),
            }
        }
    });
}

fn last_use() {
    let (host, pair) = block_on(signed_in());
    // The recorded use is old, so a request records its own, in a task.
    host.time.advance(Duration::from_secs(300));
    let who = block_on(host.authenticate(&pair.access_token)).unwrap_or_else(|error| panic!("{error}"));
    let (leaving, using) = (host.clone(), host.clone());
    let logout = async move {
        leaving.core.log_out(&who, ClientAddress::UNKNOWN).await.expect("a logout succeeds");
        Err(AuthError::InvalidRefreshToken)
    };
    let access_token = pair.access_token.clone();
    let use_it = async move {
        let _accepted_before_the_logout = using.authenticate(&access_token).await;
        Err(AuthError::InvalidRefreshToken)
    };
    let refreshed = together([logout.boxed(), use_it.boxed(), refresh(&host, &pair.refresh_token)]);
    no_session_is_left(&host, &pair, &refreshed);
}
