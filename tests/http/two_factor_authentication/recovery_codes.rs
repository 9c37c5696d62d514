//! Recovery codes: `GET` and `POST /user/two-factor-recovery-codes`, and what they do at the challenge.

use crate::support::answer::Answer;
use crate::support::authenticator::{Enrolled, no_code_limits};
use crate::support::routers::on_both_routers;
use crate::support::{Account, App, EMAIL, at_once, memory_users, sealed};
use axum_auth_module::async_trait;
use axum_auth_module::repository::{RepositoryError, UserRepository};
use axum_auth_module::testing::MemoryUsers;
use axum_auth_module::user::{NewUser, UserField, UserPatch};
use serde_json::json;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};

on_both_routers![
    there_are_eight_different_codes_and_they_are_stored_encrypted,
    without_two_factor_there_are_none,
    all_eight_can_be_made_anew,
    a_used_code_is_replaced_and_the_others_stay,
    a_near_miss_is_a_miss,
    each_kind_of_code_counts_in_its_own_field,
    a_code_whose_replacement_could_not_be_saved_was_not_used,
    a_code_that_is_gone_when_it_is_to_be_replaced_begins_no_session,
    making_them_anew_goes_together_with_a_new_enrolment,
    no_codes_are_left_behind_where_two_factor_is_switched_off_meanwhile,
];

on_both_routers![
    threads:
    of_thirty_uses_of_one_code_at_once_one_begins_a_session,
    with_one_challenge_one_code_is_spent_at_most,
    eight_different_codes_at_once_all_count_and_none_counts_again,
];

/// A user with two-factor and eight codes.
struct Codes {
    app: App,
    access: String,
    codes: Vec<String>,
}

impl Codes {
    async fn begin() -> Self {
        Self::on(App::with_everything().await).await
    }

    async fn on(app: App) -> Self {
        let Enrolled { tokens, .. } = app.enrolled(EMAIL).await;
        app.event_names::<4>().await;
        let codes = app.recovery_codes(&tokens.access).await;
        Self { app, access: tokens.access, codes }
    }

    /// What the module answers to this recovery code, with a challenge of its own.
    async fn challenge(&self, code: &str) -> Answer {
        let token = self.app.challenge_token(EMAIL).await;
        self.app.challenge_by_recovery_code(&token, code).await
    }

    async fn now(&self) -> Vec<String> {
        self.app.recovery_codes(&self.access).await
    }

    fn stored(&self) -> String {
        self.app.users.by_email(EMAIL).unwrap().two_factor_recovery_codes.unwrap()
    }
}

fn has_the_form(code: &str) -> bool {
    let half = |half: &str| half.len() == 10 && half.bytes().all(|byte| byte.is_ascii_alphanumeric());
    code.split_once('-').is_some_and(|(one, other)| half(one) && half(other))
}

async fn there_are_eight_different_codes_and_they_are_stored_encrypted() {
    let user = Codes::begin().await;
    assert_eq!(user.codes.len(), 8);
    assert!(user.codes.iter().all(|code| has_the_form(code)), "{:?}", user.codes);
    assert_eq!(user.codes.iter().collect::<HashSet<_>>().len(), 8);
    assert_eq!(user.now().await, user.codes, "looking at them changes nothing");
    let stored = user.stored();
    assert!(user.codes.iter().all(|code| !stored.contains(code.as_str())));
    assert_eq!(sealed::open(&stored, "1", "twoFactorRecoveryCodes"), json!(user.codes));
}

async fn without_two_factor_there_are_none() {
    let app = App::with_everything().await;
    let token = app.confirmed_session(EMAIL).await.access;
    let path = "/auth/user/two-factor-recovery-codes";
    assert_eq!(app.get(path).bearer(&token).await.expect(200).text, "[]");
    app.post(path).bearer(&token).await.refused(404, "two_factor_not_enabled");
    assert!(app.users.by_email(EMAIL).unwrap().two_factor_recovery_codes.is_none());

    let user = Codes::begin().await;
    let access = user.app.disable(&user.access).await.expect(200).tokens().access;
    assert_eq!(user.app.get(path).bearer(&access).await.expect(200).text, "[]");
}

async fn all_eight_can_be_made_anew() {
    let user = Codes::begin().await;
    let path = "/auth/user/two-factor-recovery-codes";
    let answer = user.app.post(path).bearer(&user.access).await.expect(200);
    let new: Vec<String> = serde_json::from_value(answer.body).unwrap();
    assert_eq!(user.app.event().await.name(), "auth.recovery-codes-generated");
    assert_eq!(new.len(), 8);
    assert!(new.iter().all(|code| has_the_form(code) && !user.codes.contains(code)), "{new:?}");
    assert_eq!(user.now().await, new);
    user.challenge(&user.codes[0]).await.refused(422, "invalid_recovery_code");
    user.challenge(&new[0]).await.expect(200);
}

async fn a_used_code_is_replaced_and_the_others_stay() {
    let user = Codes::begin().await;
    let answer = user.challenge(&user.codes[3]).await.expect(200);
    assert_eq!(answer.members_beside_the_session(), ["twoFactor"]);
    assert_eq!(user.app.me(&answer.tokens().access).await.expect(200).text, EMAIL);
    assert_eq!(
        user.app.event_names().await,
        ["auth.two-factor-challenged", "auth.recovery-code-replaced", "auth.login"]
    );
    let now = user.now().await;
    assert_eq!(now.len(), 8);
    for (at, (before, after)) in user.codes.iter().zip(&now).enumerate() {
        assert_eq!(before == after, at != 3);
    }
    assert!(has_the_form(&now[3]));
    user.challenge(&user.codes[3]).await.refused(422, "invalid_recovery_code");
    user.challenge(&now[3]).await.expect(200);
}

async fn of_thirty_uses_of_one_code_at_once_one_begins_a_session() {
    let user = Codes::begin().await;
    let mut calls = Vec::new();
    for _ in 0..30 {
        let token = user.app.challenge_token(EMAIL).await;
        calls.push(user.app.challenge_by_recovery_code(&token, &user.codes[0]).into_future());
    }
    let statuses: Vec<_> = at_once(calls).await.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 422, 429].contains(status)), "{statuses:?}");
    assert_eq!(user.now().await[1..], user.codes[1..]);
}

async fn with_one_challenge_one_code_is_spent_at_most() {
    let user = Codes::begin().await;
    let token = user.app.challenge_token(EMAIL).await;
    let calls = user.codes.iter().map(|code| user.app.challenge_by_recovery_code(&token, code).into_future());
    let statuses: Vec<_> = at_once(calls.collect::<Vec<_>>()).await.iter().map(|a| a.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    let now = user.now().await;
    assert_eq!(now.iter().filter(|code| user.codes.contains(code)).count(), 7, "the others were not lost");
}

async fn eight_different_codes_at_once_all_count_and_none_counts_again() {
    let user = Codes::begin().await;
    // Four failures before leave one slot of five: the eight have to wait for each other.
    for _ in 0..4 {
        user.challenge("no code").await.expect(422);
    }
    let mut calls = Vec::new();
    for code in &user.codes {
        let token = user.app.challenge_token(EMAIL).await;
        calls.push(user.app.challenge_by_recovery_code(&token, code).into_future());
    }
    for answer in at_once(calls).await {
        answer.expect(200);
    }
    let now = user.now().await;
    assert_eq!(now.len(), 8);
    assert!(now.iter().all(|code| has_the_form(code) && !user.codes.contains(code)));
    for code in &user.codes {
        user.challenge(code).await.refused(422, "invalid_recovery_code");
        user.app.advance(13);
    }
}

async fn a_near_miss_is_a_miss() {
    let app = App::with_everything_and(|config| config.limits(no_code_limits()), |module| module).await;
    let user = Codes::on(app).await;
    let code = &user.codes[0];
    let swapped_case: String = code
        .chars()
        .map(|c| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
        .collect();
    let (one, other) = code.split_once('-').unwrap();
    for miss in [
        swapped_case,
        format!(" {code}"),
        format!("{code} "),
        format!("{code}\n"),
        format!("{code}\0"),
        format!("{one}{other}"),
        format!("{one} {other}"),
        format!("{one}–{other}"),
        format!("{other}-{one}"),
        format!("{one}-"),
        one.to_owned(),
        code[..20].to_owned(),
        code[1..].to_owned(),
        format!("{code}A"),
        format!("{code},{}", user.codes[1]),
        format!("[\"{code}\"]"),
        "%".to_owned(),
        ".*".to_owned(),
        "-".to_owned(),
        "x".repeat(50_000),
    ] {
        user.challenge(&miss).await.refused(422, "invalid_recovery_code");
    }
    assert_eq!(user.now().await, user.codes);
    user.challenge(code).await.expect(200);
}

/// A code of the app is no recovery code, and the other way round.
async fn each_kind_of_code_counts_in_its_own_field() {
    let app = App::with_everything().await;
    let Enrolled { tokens, authenticator } = app.enrolled(EMAIL).await;
    let recovery_code = &app.recovery_codes(&tokens.access).await[0];
    let token = app.challenge_token(EMAIL).await;
    app.challenge(&token, recovery_code).await.refused(422, "invalid_two_factor_code");
    let refused = app.challenge_by_recovery_code(&token, &authenticator.code(&app)).await;
    refused.refused(422, "invalid_recovery_code");
    app.challenge_by_recovery_code(&token, recovery_code).await.expect(200);
}

/// What happens just before the next save, once.
type Interruption = Box<dyn FnOnce(&MemoryUsers<Account>) -> Result<(), RepositoryError> + Send>;

/// Users, and a moment between reading and writing them that a test can fill.
#[derive(Clone)]
struct Interrupted(MemoryUsers<Account>, Arc<Mutex<Option<Interruption>>>);

impl Interrupted {
    /// A user with codes in a repository of this kind.
    async fn begin() -> (Codes, Self) {
        let repository = Self(memory_users(), Arc::default());
        let (all, users) = (repository.clone(), repository.0.clone());
        let app = App::with_everything_on(all, users, |config| config, |module| module).await;
        (Codes::on(app).await, repository)
    }

    fn before_the_next_save(
        &self,
        interruption: impl FnOnce(&MemoryUsers<Account>) -> Result<(), RepositoryError> + Send + 'static,
    ) {
        *self.1.lock().unwrap() = Some(Box::new(interruption));
    }
}

#[async_trait]
impl UserRepository for Interrupted {
    type User = Account;

    async fn find_by_id(&self, id: &i64) -> Result<Option<Account>, RepositoryError> {
        self.0.find_by_id(id).await
    }

    async fn find_by_field(&self, field: UserField, value: &str) -> Result<Option<Account>, RepositoryError> {
        self.0.find_by_field(field, value).await
    }

    async fn save(&self, patch: UserPatch<Account>) -> Result<Account, RepositoryError> {
        let interruption = self.1.lock().unwrap().take();
        interruption.map_or(Ok(()), |interruption| interruption(&self.0))?;
        self.0.save(patch).await
    }

    async fn create(&self, user: NewUser) -> Result<Account, RepositoryError> {
        self.0.create(user).await
    }
}

async fn a_code_whose_replacement_could_not_be_saved_was_not_used() {
    let (user, repository) = Interrupted::begin().await;
    repository.before_the_next_save(|_| Err(RepositoryError::other("the disk is full")));
    user.challenge(&user.codes[0]).await.refused(500, "internal_error");
    assert_eq!(user.now().await, user.codes);
    user.challenge(&user.codes[0]).await.expect(200);
}

async fn a_code_that_is_gone_when_it_is_to_be_replaced_begins_no_session() {
    let (user, repository) = Interrupted::begin().await;
    repository.before_the_next_save(|users| {
        users.update(EMAIL, |ada| {
            let stored = ada.two_factor_recovery_codes.take().unwrap();
            let others: Vec<_> = (0..8).map(|n| format!("AAAAAAAAAA-AAAAAAAAA{n}")).collect();
            let id = sealed::key_id(&stored);
            let new = sealed::seal(&json!(others), id, "1", "twoFactorRecoveryCodes");
            ada.two_factor_recovery_codes = Some(new);
        });
        Ok(())
    });
    user.challenge(&user.codes[0]).await.refused(422, "invalid_recovery_code");
    user.challenge("AAAAAAAAAA-AAAAAAAAA7").await.expect(200);
}

/// A forced enrolment in another tab writes the secret anew while the codes are being made.
async fn making_them_anew_goes_together_with_a_new_enrolment() {
    let (user, repository) = Interrupted::begin().await;
    repository.before_the_next_save(|users| {
        users.update(EMAIL, |ada| {
            let stored = ada.two_factor_secret.take().unwrap();
            let document = sealed::open(&stored, "1", "twoFactorSecret");
            ada.two_factor_secret =
                Some(sealed::seal(&document, sealed::key_id(&stored), "1", "twoFactorSecret"));
        });
        Ok(())
    });
    let path = "/auth/user/two-factor-recovery-codes";
    let answer = user.app.post(path).bearer(&user.access).await.expect(200);
    assert_eq!(answer.body, json!(user.now().await));
}

async fn no_codes_are_left_behind_where_two_factor_is_switched_off_meanwhile() {
    let (user, repository) = Interrupted::begin().await;
    repository.before_the_next_save(|users| {
        users.update(EMAIL, |ada| {
            ada.two_factor_secret = None;
            ada.two_factor_recovery_codes = None;
            ada.two_factor_confirmed_at = None;
        });
        Ok(())
    });
    let path = "/auth/user/two-factor-recovery-codes";
    user.app.post(path).bearer(&user.access).await.refused(404, "two_factor_not_enabled");
    assert!(user.app.users.by_email(EMAIL).unwrap().two_factor_recovery_codes.is_none());
}
