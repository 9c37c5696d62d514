//! What may succeed once, thirty times at once: in memory and in each kind of database (ASVS 6.5.1, 15.4.2; RFC 6238 §5.2; RFC 9700
//! §4.14.2). Each race counts its winners exactly, and nobody loses in another way than the contract says.

use super::target::{
    INCORRECT_PASSWORD, INVALID_CHALLENGE, INVALID_CODE, INVALID_CREDENTIALS, INVALID_RECOVERY_CODE,
    INVALID_RESET_TOKEN, TOO_MANY, Target, UNAUTHENTICATED, no_limits,
};
use crate::reset_passwords::reset_password::reset;
use crate::support::answer::Answer;
use crate::support::places::{Place, in_every_place};
use crate::support::{Account, App, Call, EMAIL, PASSWORD, forge, memory_users, registration};
use axum_auth_module::async_trait;
use axum_auth_module::config::RateLimit;
use axum_auth_module::repository::{RepositoryError, UserRepository};
use axum_auth_module::testing::MemoryUsers;
use axum_auth_module::user::{NewUser, UserField, UserPatch};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{Barrier, Semaphore};

/// How many attacks the tests of this family make at each place.
pub(super) const ATTACKS: usize = 18;

in_every_place![
    one_code_of_the_app,
    one_recovery_code,
    one_challenge,
    one_reset_token,
    one_refresh_token,
    one_verification_link,
    wrong_passwords_up_to_the_limit,
    wrong_codes_up_to_the_limit,
    registrations_of_one_address,
    logouts,
    changes_of_the_password,
    changes_of_the_password_in_one_session,
    changes_to_one_address,
];

const CROWD: usize = 30;

/// A host whose limits decide no race.
async fn host(place: &Place) -> Target {
    Target::at(place, |config| config).await
}

fn crowd(call: impl Fn(usize) -> Call) -> Vec<Call> {
    (0..CROWD).map(call).collect()
}

/// The session of the one that has won.
fn winner(answers: Vec<Answer>) -> crate::support::Tokens {
    answers.into_iter().find(|answer| answer.status < 400).unwrap().tokens()
}

/// How many events of this name there were until now.
async fn events_until_a_login(target: &Target, name: &str) -> usize {
    let client = "203.0.113.200";
    target.login_call(EMAIL, PASSWORD).from(client).await.expect(200);
    let mut events = 0;
    loop {
        let event = target.event().await;
        events += usize::from(event.name() == name);
        if event.name() == "auth.login" && event.client == client.parse().ok() {
            return events;
        }
    }
}

async fn one_code_of_the_app(place: &Place) {
    let target = host(place).await;
    let enrolled = target.enrolled(EMAIL).await;
    let code = enrolled.authenticator.code(&target);
    let mut challenges = Vec::new();
    for _ in 0..CROWD {
        challenges.push(target.challenge_token(EMAIL).await);
    }
    let calls = crowd(|n| target.challenge(&challenges[n], &code));
    let answers = target.race("a challenge each", calls, 1..=1, &[INVALID_CODE]).await;
    target.serves("its session", target.get("/me").bearer(&winner(answers).access), 200).await;
    // The code that sets an app up is as single.
    let access = target.confirmed_session("set-up@example.com").await.access;
    target.enable(&access).await.expect(200);
    let code = target.authenticator(&access).await.code(&target);
    let calls = crowd(|_| target.confirm_two_factor(&access, &code));
    let answers = target.race("set-up", calls, 1..=1, &[INVALID_CODE, UNAUTHENTICATED]).await;
    target.serves("its session", target.get("/me").bearer(&winner(answers).access), 200).await;
    target.finish(2).await;
}

async fn one_recovery_code(place: &Place) {
    let target = host(place).await;
    let access = target.enrolled(EMAIL).await.tokens.access;
    let codes = target.recovery_codes(&access).await;
    let mut challenges = Vec::new();
    for _ in 0..CROWD {
        challenges.push(target.challenge_token(EMAIL).await);
    }
    let calls = crowd(|n| target.challenge_by_recovery_code(&challenges[n], &codes[0]));
    target.race("one code", calls, 1..=1, &[INVALID_RECOVERY_CODE]).await;
    // Different codes are all spent, and each once.
    challenges.clear();
    for _ in 0..CROWD {
        challenges.push(target.challenge_token(EMAIL).await);
    }
    let calls = crowd(|n| target.challenge_by_recovery_code(&challenges[n], &codes[1 + n % 7]));
    target.race("seven codes", calls, 7..=7, &[INVALID_RECOVERY_CODE]).await;
    let now: BTreeSet<_> = target.recovery_codes(&access).await.into_iter().collect();
    assert!(now.len() == 8 && codes.iter().all(|code| !now.contains(code)), "all were replaced");
    target.finish(2).await;
}

async fn one_challenge(place: &Place) {
    let target = host(place).await;
    let enrolled = target.enrolled(EMAIL).await;
    let codes = target.recovery_codes(&enrolled.tokens.access).await;
    let challenge = target.challenge_token(EMAIL).await;
    let calls = crowd(|n| target.challenge_by_recovery_code(&challenge, &codes[n % 8]));
    target.race("right codes", calls, 1..=1, &[INVALID_CHALLENGE, INVALID_RECOVERY_CODE]).await;
    let now = target.recovery_codes(&enrolled.tokens.access).await;
    assert_eq!(now.iter().filter(|code| codes.contains(code)).count(), 7, "one was spent");

    let challenge = target.challenge_token(EMAIL).await;
    let wrong = enrolled.authenticator.wrong_code(&target);
    let calls = crowd(|_| target.challenge(&challenge, &wrong));
    let answers = target.race("wrong codes", calls, 0..=0, &[INVALID_CODE, INVALID_CHALLENGE]).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 422).count(), 5, "five were looked at");
    target.finish(2).await;
}

async fn one_reset_token(place: &Place) {
    let target = host(place).await;
    target.register(EMAIL).await;
    let token = target.reset_token(EMAIL).await;
    let password = |n: usize| format!("the new password no. {n}");
    let calls = crowd(|n| reset(&target, EMAIL, &token, &password(n)));
    let answers = target.race("resets", calls, 1..=1, &[INVALID_RESET_TOKEN]).await;
    for (n, answer) in answers.iter().enumerate().filter(|(_, answer)| answer.status == 200) {
        assert_eq!(answer.members(), ["message"]);
        target.serves("the winner's password", target.login_call(EMAIL, &password(n)), 200).await;
    }
    target.login_call(EMAIL, PASSWORD).await.refused(401, "invalid_credentials");
    target.finish(1).await;
}

/// Tabs of one browser refresh at once, and all go on in one session; a thief who comes later ends it.
async fn one_refresh_token(place: &Place) {
    let target = host(place).await;
    let tokens = target.register(EMAIL).await;
    let calls = crowd(|_| target.refresh_call(&tokens.refresh));
    let answers = target.race("in the grace", calls, CROWD..=CROWD, &[]).await;
    let next: Vec<_> = answers.into_iter().map(Answer::tokens).collect();
    let sessions: BTreeSet<_> =
        next.iter().map(|tokens| forge::claims(&tokens.access)["sid"].to_string()).collect();
    assert_eq!(sessions.len(), 1);
    target.serves("one of them", target.refresh_call(&next[7].refresh), 200).await;
    target.advance(11);
    let calls = crowd(|_| target.refresh_call(&tokens.refresh));
    let refusals = [(401, "refresh_token_reused"), (401, "invalid_refresh_token")];
    target.race("after the grace", calls, 0..=0, &refusals).await;
    target.get("/claims").bearer(&next[7].access).await.refused(401, "unauthenticated");
    target.finish(2).await;
}

async fn one_verification_link(place: &Place) {
    let target = host(place).await;
    let access = target.register(EMAIL).await.access;
    let link = target.link(&access).await.path("/auth");
    // The later requests find a verified address. That is no failure, and emits no second event.
    let calls = crowd(|_| target.get(&link).bearer(&access));
    target.race("openings", calls, CROWD..=CROWD, &[]).await;
    assert_eq!(events_until_a_login(&target, "auth.email-verified").await, 1);
    assert!(place.user(EMAIL).await.email_verified_at.is_some());
    target.finish(1).await;
}

async fn wrong_passwords_up_to_the_limit(place: &Place) {
    let mut limits = no_limits();
    limits.login_account_and_client = RateLimit::per_seconds(5, 60);
    let target = Target::at(place, |config| config.limits(limits)).await;
    target.register(EMAIL).await;
    let calls = crowd(|_| target.login_call(EMAIL, "wrong"));
    let answers = target.race("logins", calls, 0..=0, &[INVALID_CREDENTIALS, TOO_MANY]).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 401).count(), 5);
    let other = target.login_call(EMAIL, PASSWORD).from("203.0.113.7");
    target.serves("another client", other, 200).await;
    target.finish(1).await;
}

async fn wrong_codes_up_to_the_limit(place: &Place) {
    let mut limits = no_limits();
    limits.two_factor = RateLimit::per_seconds(5, 60);
    let target = Target::at(place, |config| config.limits(limits)).await;
    let enrolled = target.enrolled(EMAIL).await;
    let wrong = enrolled.authenticator.wrong_code(&target);
    let mut challenges = Vec::new();
    for _ in 0..CROWD {
        challenges.push(target.challenge_token(EMAIL).await);
    }
    let calls = crowd(|n| target.challenge(&challenges[n], &wrong));
    let answers = target.race("a challenge each", calls, 0..=0, &[INVALID_CODE, TOO_MANY]).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 422).count(), 5);
    target.advance(60);
    let right = target.challenge(&challenges[0], &enrolled.authenticator.code(&target));
    target.serves("in the next window", right, 200).await;
    target.finish(1).await;
}

async fn registrations_of_one_address(place: &Place) {
    let target = host(place).await;
    let spellings = [EMAIL, "ADA@example.com", " ada@Example.Com"];
    let calls = crowd(|n| target.post("/auth/register").json(&registration(spellings[n % 3])));
    let answers = target.race("registrations", calls, 1..=1, &[(409, "email_taken")]).await;
    target.serves("the account", target.get("/me").bearer(&winner(answers).access), 200).await;
    target.finish(1).await;
}

async fn logouts(place: &Place) {
    let target = host(place).await;
    let (ends, other) = (target.register(EMAIL).await, target.login(EMAIL).await);
    let id = place.user(EMAIL).await.id.to_string();
    assert_eq!(place.rows(&id).await.len(), 2);
    // Each request that finds the session is right that it is over afterwards; only one has ended it.
    let calls = crowd(|_| target.log_out(&ends.access));
    target.race("logouts", calls, 1..=CROWD, &[UNAUTHENTICATED]).await;
    assert_eq!(events_until_a_login(&target, "auth.logout").await, 1);
    target.get("/claims").bearer(&ends.access).await.refused(401, "unauthenticated");
    assert_eq!(place.rows(&id).await.len(), 2, "the other one, and a new one");
    target.serves("the other session", target.get("/me").bearer(&other.access), 200).await;
    target.finish(1).await;
}

/// Each in a session of its own: the owner, and attackers who have a session and know the password.
async fn changes_of_the_password(place: &Place) {
    let target = host(place).await;
    let mut sessions = vec![target.register(EMAIL).await];
    while sessions.len() < CROWD {
        sessions.push(target.login(EMAIL).await);
    }
    let password = |n: usize| format!("the new password no. {n}");
    let calls = crowd(|n| target.change_password_to(&sessions[n].access, PASSWORD, &password(n)));
    let answers = target.race("changes", calls, 1..=1, &[INCORRECT_PASSWORD, UNAUTHENTICATED]).await;
    for (n, answer) in answers.into_iter().enumerate().filter(|(_, answer)| answer.status == 200) {
        target.serves("its session", target.get("/me").bearer(&answer.tokens().access), 200).await;
        target.serves("its password", target.login_call(EMAIL, &password(n)), 200).await;
    }
    for tokens in &sessions {
        target.get("/claims").bearer(&tokens.access).await.refused(401, "unauthenticated");
    }
    target.finish(1).await;
}

/// The same in one session: all have shown the password that was the current one when they began.
async fn changes_of_the_password_in_one_session(place: &Place) {
    let target = host(place).await;
    let tokens = target.register(EMAIL).await;
    let password = |n: usize| format!("the new password no. {n}");
    let calls = crowd(|n| target.change_password_to(&tokens.access, PASSWORD, &password(n)));
    let answers = target.race("changes", calls, 1..=1, &[INCORRECT_PASSWORD, UNAUTHENTICATED]).await;
    for (n, answer) in answers.into_iter().enumerate().filter(|(_, answer)| answer.status == 200) {
        target.serves("its session", target.get("/me").bearer(&answer.tokens().access), 200).await;
        target.serves("its password", target.login_call(EMAIL, &password(n)), 200).await;
    }
    target.finish(1).await;
}

/// A repository that saves the first two new passwords at the same time. It returns from the first of these writes only when the test
/// allows it.
#[derive(Clone)]
struct AtOneMoment {
    users: MemoryUsers<Account>,
    begun: Arc<AtomicUsize>,
    both: Arc<Barrier>,
    report: Arc<Semaphore>,
}

#[async_trait]
impl UserRepository for AtOneMoment {
    type User = Account;

    async fn find_by_id(&self, id: &i64) -> Result<Option<Account>, RepositoryError> {
        self.users.find_by_id(id).await
    }

    async fn find_by_field(&self, field: UserField, value: &str) -> Result<Option<Account>, RepositoryError> {
        self.users.find_by_field(field, value).await
    }

    async fn save(&self, patch: UserPatch<Account>) -> Result<Account, RepositoryError> {
        let is_password = patch.changes().iter().any(|change| change.field() == UserField::Password);
        if !is_password || self.begun.fetch_add(1, Ordering::SeqCst) >= 2 {
            return self.users.save(patch).await;
        }
        self.both.wait().await;
        let saved = self.users.save(patch).await?;
        self.report.acquire().await.unwrap().forget();
        Ok(saved)
    }

    async fn create(&self, user: NewUser) -> Result<Account, RepositoryError> {
        self.users.create(user).await
    }
}

/// Two of these, of which neither is written before the other one has begun.
#[tokio::test]
async fn two_changes_of_the_password_in_one_session() {
    let (users, report) = (memory_users(), Arc::new(Semaphore::new(0)));
    let (begun, both) = (Arc::default(), Arc::new(Barrier::new(2)));
    let repository = AtOneMoment { users: users.clone(), begun, both, report: Arc::clone(&report) };
    let app = App::with_everything_on(repository, users, |config| config, |module| module).await;
    let target = Target::on(app);
    let tokens = target.register(EMAIL).await;
    let change = |password: &str| target.change_password_to(&tokens.access, PASSWORD, password).into_future();
    let (mut one, mut other) = (change("the password of one"), change("the password of the other"));
    let answers = tokio::select! {
        answer = &mut one => { report.add_permits(1); [answer, other.await] }
        answer = &mut other => { report.add_permits(1); [answer, one.await] }
    };
    let successes = answers.iter().filter(|answer| answer.status == 200).count();
    target.withstands(format!("{successes} succeed"), successes == 1);
    for answer in answers.into_iter().filter(|answer| answer.status == 200) {
        target.serves("its session", target.get("/me").bearer(&answer.tokens().access), 200).await;
    }
    target.finish(1).await;
}

async fn changes_to_one_address(place: &Place) {
    let host = place.start_with_addresses_of_profiles(|config| config.limits(no_limits()));
    let target = Target::on(host.await);
    let mut users = Vec::new();
    for n in 0..CROWD {
        users.push(target.register(&format!("user{n}@example.com")).await);
    }
    let calls = crowd(|n| target.move_to(&users[n].access, EMAIL));
    target.race("thirty users", calls, 1..=1, &[(409, "email_taken")]).await;
    target.serves("the address", target.login_call(EMAIL, PASSWORD), 200).await;
    target.finish(1).await;
}
