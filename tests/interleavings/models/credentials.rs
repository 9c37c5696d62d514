//! Changes of credentials and sign-ins at the same time as other requests (specification §11.1, §11.6).

use super::{Models, SOME, count, together};
use crate::client::ClientAddress;
use crate::config::SessionOptions;
use crate::core::{Credentials, Identity, Patch, TokenPair};
use crate::error::AuthError;
use crate::host::{ADA, Host};
use crate::repository::RepositoryError;
use crate::user::UserChange;
use futures_util::future::{BoxFuture, FutureExt};
use shuttle::future::block_on;
use std::time::Duration;

pub(super) const MODELS: Models = &[
    ("a sign-in that overlaps a change of the password starts no session", SOME, sign_in_and_change),
    (
        "of two changes of the password at the same time one succeeds, and its session is the only one",
        SOME,
        changes,
    ),
    (
        "of two changes of the password at the same time in one session one succeeds",
        SOME,
        changes_in_one_session,
    ),
    ("a refresh that overlaps a change of the password leaves no earlier token", SOME, refresh_and_change),
    (
        "a change that was interrupted is completed by requests at the same time, and leaves the sessions that began after it",
        SOME,
        interrupted_change,
    ),
    ("of sign-ins at the same time as many sessions stay as a user can have", SOME, sign_ins),
];

type Pair = Result<TokenPair, AuthError>;

async fn signed_in(host: &Host) -> (TokenPair, Identity) {
    let pair = host.sign_in(&host.user().await).await.unwrap_or_else(|error| panic!("{error}"));
    let who = host.authenticate(&pair.access_token).await.unwrap_or_else(|error| panic!("{error}"));
    (pair, who)
}

/// Changes the password's hash, as the feature does.
fn change(host: &Host, who: &Identity, hash: &str) -> BoxFuture<'static, Pair> {
    let (host, who, hash) = (host.clone(), who.clone(), hash.to_owned());
    async move {
        let patch = Patch::of(who.user()).with(UserChange::Password(hash));
        let change = host.core.change_credentials(&who, patch, ClientAddress::UNKNOWN).await;
        let change = change.map_err(|error| match error {
            RepositoryError::Other(_) => AuthError::Unauthenticated,
            other => panic!("{other:?}"),
        })?;
        Ok(change.finish().await?.into_tokens().expect("tokens, without a browser"))
    }
    .boxed()
}

fn sign_in_and_change() {
    let host = Host::new();
    let (_, who) = block_on(signed_in(&host));
    let (signing_in, before) = (host.clone(), block_on(host.user()));
    let sign_in = async move { signing_in.sign_in(&before).await };
    let results = together([change(&host, &who, "after"), sign_in.boxed()]);
    block_on(async {
        let [Ok(changed), signed_in] = &results[..] else { panic!("the change succeeds") };
        assert!(host.accepts(changed).await);
        if let Ok(pair) = signed_in {
            // It was complete before the change, which has ended it.
            assert!(!host.has_session(&pair.session_id).await);
        }
        let sessions = host.core.sessions_of(ADA, None).await.expect("the rows answer");
        assert_eq!(sessions.len(), 1);
    });
}

fn changes() {
    let host = Host::new();
    let [(_, one), (_, other)] = [block_on(signed_in(&host)), block_on(signed_in(&host))];
    let results = together([change(&host, &one, "one"), change(&host, &other, "other")]);
    let [succeeded, refused] =
        [Result::is_ok, |result: &Pair| matches!(result, Err(AuthError::Unauthenticated))]
            .map(|is| count(&results, is));
    assert_eq!((succeeded, refused), (1, 1));
    block_on(async {
        let sessions = host.core.sessions_of(ADA, None).await.expect("the rows answer");
        assert_eq!(sessions.len(), 1);
        for pair in results.iter().flatten() {
            assert!(host.accepts(pair).await && host.refresh(&pair.refresh_token).await.is_ok());
        }
    });
}

/// The second one has proven the password of before.
fn changes_in_one_session() {
    let host = Host::new();
    let (_, who) = block_on(signed_in(&host));
    let results = together([change(&host, &who, "one"), change(&host, &who, "other")]);
    let [succeeded, refused] =
        [Result::is_ok, |result: &Pair| matches!(result, Err(AuthError::Unauthenticated))]
            .map(|is| count(&results, is));
    assert_eq!((succeeded, refused), (1, 1));
    block_on(async {
        for pair in results.iter().flatten() {
            assert!(host.accepts(pair).await && host.refresh(&pair.refresh_token).await.is_ok());
        }
    });
}

fn refresh_and_change() {
    let host = Host::new();
    let (pair, who) = block_on(signed_in(&host));
    // The change does not begin in the second in which the session started.
    host.time.advance(Duration::from_secs(5));
    let refreshing = host.clone();
    let token = pair.refresh_token.clone();
    let refresh = async move { refreshing.refresh(&token).await };
    let results = together([change(&host, &who, "after"), refresh.boxed()]);
    block_on(async {
        let [Ok(changed), refreshed] = &results[..] else { panic!("the change succeeds") };
        assert!(host.accepts(changed).await);
        assert!(!host.accepts(&pair).await && host.refresh(&pair.refresh_token).await.is_err());
        if let Ok(pair) = refreshed {
            assert!(!host.accepts(pair).await, "an access token from before the change is accepted");
            assert!(host.refresh(&pair.refresh_token).await.is_err(), "and its refresh token");
        }
    });
}

/// One session of before makes the change, and its process ends after the record was written.
fn interrupted_change() {
    let host = Host::new();
    let [(acting, who), (other, _)] = [block_on(signed_in(&host)), block_on(signed_in(&host))];
    block_on(async {
        let patch = Patch::of(who.user()).with(UserChange::Password("after".to_owned()));
        let change = host.core.change_credentials(&who, patch, ClientAddress::UNKNOWN).await;
        drop(change.unwrap_or_else(|error| panic!("{error:?}")));
    });
    host.time.advance(Duration::from_secs(180));
    let signing_in = host.clone();
    let user = block_on(host.user());
    let sign_in = async move { signing_in.sign_in(&user).await };
    let uses = (0..2).map(|_| {
        let (host, token) = (host.clone(), acting.access_token.clone());
        let accepted = async move {
            match host.authenticate(&token).await {
                Ok(_) => panic!("the session of before is accepted"),
                Err(refused) => Pair::Err(refused),
            }
        };
        accepted.boxed()
    });
    let refreshing = (host.clone(), acting.refresh_token.clone());
    let refresh = async move { refreshing.0.refresh(&refreshing.1).await };
    let results = together(uses.chain([refresh.boxed(), sign_in.boxed()]));
    block_on(async {
        let [.., refreshed, Ok(signed_in)] = &results[..] else { panic!("the sign-in succeeds") };
        assert!(refreshed.is_err());
        assert!(host.accepts(signed_in).await, "a session of the new password has ended");
        for pair in [&acting, &other] {
            assert!(!host.has_session(&pair.session_id).await);
        }
    });
}

fn sign_ins() {
    let host = Host::with(|config| {
        let mut options = SessionOptions::default();
        options.max_per_user = 2;
        config.sessions(options)
    });
    let user = block_on(host.user());
    let results = together((0..3).map(|_| {
        let (host, user) = (host.clone(), user.clone());
        async move { host.sign_in(&user).await }.boxed()
    }));
    block_on(async {
        assert!(results.iter().all(Result::is_ok));
        let sessions = host.core.sessions_of(ADA, None).await.expect("the rows answer");
        assert_eq!(sessions.len(), 2);
    });
}
