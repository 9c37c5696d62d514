//! The host that is attacked, and how an attack is judged.

use crate::reset_passwords::reset_password::NEW;
use crate::support::answer::Answer;
use crate::support::places::Place;
use crate::support::witness::Witness;
use crate::support::{
    App, Builder, Call, PASSWORD, Tokens, addresses_of_profiles, at_once, forge, registration, routers,
};
use axum_auth_module::config::{AuthConfigBuilder, RateLimit, RateLimits};
use axum_auth_module::delivery::{EmailVerificationMessage, PasswordResetMessage, VerificationData};
use axum_auth_module::endpoint::RouterKind;
use serde_json::json;
use std::fmt::Display;
use std::ops::{Deref, RangeInclusive};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A status and a code.
pub(crate) type Refusal = (u16, &'static str);

pub(crate) const UNAUTHENTICATED: Refusal = (401, "unauthenticated");
pub(crate) const INVALID_CREDENTIALS: Refusal = (401, "invalid_credentials");
pub(crate) const INVALID_REFRESH_TOKEN: Refusal = (401, "invalid_refresh_token");
pub(crate) const INVALID_CHALLENGE: Refusal = (401, "invalid_challenge_token");
pub(crate) const NOT_FOUND: Refusal = (404, "not_found");
pub(crate) const INVALID_RESET_TOKEN: Refusal = (422, "invalid_reset_token");
pub(crate) const INVALID_LINK: Refusal = (422, "invalid_verification_link");
pub(crate) const INVALID_MAIL_TOKEN: Refusal = (422, "invalid_mail_token");
pub(crate) const INVALID_FLOW_TOKEN: Refusal = (422, "invalid_flow_token");
pub(crate) const INVALID_CODE: Refusal = (422, "invalid_two_factor_code");
pub(crate) const INVALID_RECOVERY_CODE: Refusal = (422, "invalid_recovery_code");
pub(crate) const INCORRECT_PASSWORD: Refusal = (422, "incorrect_password");
pub(crate) const TOO_MANY: Refusal = (429, "too_many_attempts");
pub(crate) const INTERNAL: Refusal = (500, "internal_error");

/// A second user.
pub(crate) const EVE: &str = "eve@example.com";

/// From where the last requests to a target come: no limit counts them together with others.
const NEWCOMER: (&str, &str) = ("newcomer@example.com", "198.51.100.250");

/// A host under attack. Everything that passes between it and its clients is remembered, and examined at the end.
///
/// Every answer is also held against the promises of [`Answer`]: an error is a problem in JSON with the members that the
/// contract names, and so on.
pub(crate) struct Target {
    app: App,
    witness: Arc<Witness>,
    attacks: AtomicUsize,
    controls: AtomicUsize,
    /// How many 5xx were the right answer to an attack.
    failures: AtomicUsize,
}

impl Deref for Target {
    type Target = App;

    fn deref(&self) -> &App {
        &self.app
    }
}

impl Target {
    /// A host with every feature.
    pub(crate) async fn start() -> Self {
        Self::on(App::with_everything().await)
    }

    /// The same without limits that a table of attacks would reach.
    pub(crate) async fn without_limits() -> Self {
        Self::with(|config| config).await
    }

    /// The same without CHANGE_EMAILS: a profile update changes the address at once.
    pub(crate) async fn with_addresses_of_profiles() -> Self {
        Self::with_module(|config| config, addresses_of_profiles).await
    }

    /// The same with another configuration.
    pub(crate) async fn with(config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder) -> Self {
        Self::with_module(config, |module| module).await
    }

    /// The same with other providers.
    pub(crate) async fn with_module(
        config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder,
        module: impl FnOnce(Builder) -> Builder,
    ) -> Self {
        let config = |base: AuthConfigBuilder| config(base.limits(no_limits()));
        Self::on(App::with_everything_and(config, module).await)
    }

    /// A host at a place, without limits unless `config` has some.
    pub(crate) async fn at(
        place: &Place,
        config: impl FnOnce(AuthConfigBuilder) -> AuthConfigBuilder,
    ) -> Self {
        Self::on(place.start_with(|base| config(base.limits(no_limits()))).await)
    }

    /// A host that has been started.
    pub(crate) fn on(mut app: App) -> Self {
        let witness = Arc::new(Witness::new());
        app.witness = Some(Arc::clone(&witness));
        let [attacks, controls, failures] = Default::default();
        Self { app, witness, attacks, controls, failures }
    }

    /// The control: the same request without the attack gets a response with this status.
    pub(crate) async fn serves(&self, what: impl Display, call: Call, status: u16) -> Answer {
        let answer = call.await;
        assert_eq!(answer.status, status, "the control of this fails: {what}: {}", beginning(&answer));
        self.controls.fetch_add(1, Ordering::SeqCst);
        answer
    }

    /// An attack, which is refused in this way.
    pub(crate) async fn refuses(&self, what: impl Display, call: Call, refusal: Refusal) -> Answer {
        let answer = call.await;
        assert_eq!((answer.status, answer.code()), refusal, "{what}: {}", beginning(&answer));
        assert!(!answer.has_credentials(), "{what}: {}", beginning(&answer));
        self.failures.fetch_add(usize::from(refusal.0 >= 500), Ordering::SeqCst);
        self.attacks.fetch_add(1, Ordering::SeqCst);
        answer
    }

    /// An attack with a body whose fields are refused in this way, each as `field: code`.
    pub(crate) async fn refuses_fields(&self, what: impl Display, call: Call, errors: &[&str]) {
        let answer = self.refuses(&what, call, (422, "validation_failed")).await;
        assert_eq!(answer.field_errors(), errors, "{what}");
    }

    /// An attack that is answered like a request without one, and gains nothing by it.
    pub(crate) async fn shrugs_off(&self, what: impl Display, call: Call, status: u16) -> Answer {
        let answer = call.await;
        assert_eq!(answer.status, status, "{what}: {}", beginning(&answer));
        self.attacks.fetch_add(1, Ordering::SeqCst);
        answer
    }

    /// An attack that is not one request, and whether it was withstood.
    pub(crate) fn withstands(&self, what: impl Display, withstood: bool) {
        assert!(withstood, "{what}");
        self.attacks.fetch_add(1, Ordering::SeqCst);
    }

    /// The control of such an attack.
    pub(crate) fn works(&self, what: impl Display, works: bool) {
        assert!(works, "the control of this fails: {what}");
        self.controls.fetch_add(1, Ordering::SeqCst);
    }

    /// An attack that is all of these requests at once: so many succeed, and the others are refused in one of these
    /// ways. Returns the answers in the order of the requests.
    pub(crate) async fn race(
        &self,
        what: impl Display,
        calls: impl IntoIterator<Item = Call>,
        succeed: RangeInclusive<usize>,
        refusals: &[Refusal],
    ) -> Vec<Answer> {
        let answers = at_once(calls.into_iter().map(Call::into_future).collect::<Vec<_>>()).await;
        let outcomes: Vec<_> = answers.iter().map(|answer| (answer.status, answer.code())).collect();
        assert!(outcomes.len() >= 30, "{what}: {} requests at once", outcomes.len());
        let successes = outcomes.iter().filter(|(status, _)| *status < 400).count();
        assert!(succeed.contains(&successes), "{what}: {successes} succeed: {outcomes:?}");
        let odd = outcomes.iter().find(|outcome| outcome.0 >= 400 && !refusals.contains(outcome));
        assert!(odd.is_none(), "{what}: {odd:?} in {outcomes:?}");
        self.attacks.fetch_add(1, Ordering::SeqCst);
        self.controls.fetch_add(usize::from(successes > 0), Ordering::SeqCst);
        let failures = outcomes.iter().filter(|(status, _)| *status >= 500).count();
        self.failures.fetch_add(failures, Ordering::SeqCst);
        answers
    }

    /// So many of the answers were rightly a 5xx.
    pub(crate) fn expects_failures(&self, failures: usize) {
        self.failures.fetch_add(failures, Ordering::SeqCst);
    }

    /// The end: so many attacks were made, and some controls. A newcomer is served, no answer was a 5xx but those that had
    /// to be, and no secret is in the log, in an event, or in a response that must not have it.
    pub(crate) async fn finish(self, attacks: usize) {
        assert_eq!(self.attacks.load(Ordering::SeqCst), attacks, "attacks");
        assert!(self.controls.load(Ordering::SeqCst) > 0, "no controls");
        let (email, client) = NEWCOMER;
        let register = self.post("/auth/register").json(&registration(email)).from(client).await;
        let tokens = register.expect(201).tokens();
        let me = self.get("/me").bearer(&tokens.access).from(client).await.expect(200);
        assert_eq!(me.text, email);
        self.post("/auth/logout").bearer(&tokens.access).from(client).await.expect(200);
        assert_eq!(self.witness.failures(), self.failures.load(Ordering::SeqCst), "5xx");
        let (mut events, newcomer) = (Vec::new(), forge::claims(&tokens.access)["sub"].clone());
        loop {
            let event = self.event().await;
            let is_last = event.name() == "auth.logout" && event.user_id.as_deref() == newcomer.as_str();
            events.push(event);
            if is_last {
                break;
            }
        }
        self.witness.found_no_secret(&self.app, &events);
    }
}

/// As much of an answer as a message needs.
fn beginning(answer: &Answer) -> String {
    answer.text.chars().take(300).collect()
}

/// What users do, as requests.
impl Target {
    pub(crate) fn forgot(&self, email: &str) -> Call {
        self.post("/auth/forgot-password").json(&json!({ "email": email }))
    }

    /// A reset token, taken out of the mail.
    pub(crate) async fn reset_token(&self, email: &str) -> String {
        self.forgot(email).await.expect(200);
        let token = self.outbox.next::<PasswordResetMessage>().await.token;
        self.witness.keep(&token);
        token
    }

    /// Sets the password [`NEW`].
    pub(crate) fn reset(&self, email: &str, token: &str) -> Call {
        crate::reset_passwords::reset_password::reset(self, email, token, NEW)
    }

    pub(crate) fn notify(&self, access: &str) -> Call {
        self.post("/auth/email/verification-notification").bearer(access)
    }

    /// A verification link, taken out of the mail.
    pub(crate) async fn link(&self, access: &str) -> VerificationData {
        self.notify(access).await.expect(200);
        let link = self.outbox.next::<EmailVerificationMessage>().await.data;
        self.witness.keep(&link.signature);
        link
    }

    pub(crate) fn confirm(&self, access: &str, password: &str) -> Call {
        let call = self.post("/auth/user/confirm-password").bearer(access);
        call.json(&json!({ "password": password }))
    }

    /// Changes [`PASSWORD`] to [`NEW`].
    pub(crate) fn change_password(&self, access: &str) -> Call {
        self.change_password_to(access, PASSWORD, NEW)
    }

    pub(crate) fn change_password_to(&self, access: &str, current: &str, new: &str) -> Call {
        let body = json!({ "currentPassword": current, "password": new, "passwordConfirmation": new });
        self.put("/auth/user/password").bearer(access).json(&body)
    }

    pub(crate) fn move_to(&self, access: &str, email: &str) -> Call {
        let call = self.put("/auth/user/profile-information").bearer(access);
        call.json(&json!({ "name": "Ada", "email": email }))
    }

    pub(crate) fn log_out(&self, access: &str) -> Call {
        self.post("/auth/logout").bearer(access)
    }

    pub(crate) fn refresh_call(&self, token: &str) -> Call {
        self.post("/auth/refresh").json(&json!({ "refreshToken": token }))
    }

    /// A session of a user with two-factor on, started with a code of now.
    pub(crate) async fn log_in_by_code(
        &self,
        email: &str,
        authenticator: &crate::support::authenticator::Authenticator,
    ) -> Tokens {
        let token = self.challenge_token(email).await;
        self.challenge(&token, &authenticator.code(self)).await.expect(200).tokens()
    }
}

/// Limits that no table of attacks reaches.
pub(crate) fn no_limits() -> RateLimits {
    RateLimits::all(RateLimit::per_seconds(100_000, 60))
}

/// Runs a test of the suite on a router, and examines its target.
pub(crate) async fn carry_out(router: RouterKind, test: impl Future<Output = Target>, attacks: usize) {
    routers::on(router, async { test.await.finish(attacks).await }).await;
}

/// Makes each of these functions, which return their target, a test. The number is how many attacks it makes.
macro_rules! attacks {
    (
        $(on_both_routers { $($both:ident: $of_both:literal),+ $(,)? })?
        $(on_the_bearer_router { $($bearer:ident: $of_bearer:literal),+ $(,)? })?
    ) => {
        /// How many attacks the tests of this family make, those on both routers counted once.
        pub(super) const ATTACKS: usize = 0 $($(+ $of_both)+)? $($(+ $of_bearer)+)?;

        $($(
            mod $both {
                use crate::attacks::target::carry_out;
                use axum_auth_module::endpoint::RouterKind;

                #[tokio::test]
                async fn bearer() {
                    carry_out(RouterKind::Bearer, super::$both(), $of_both).await;
                }

                #[tokio::test]
                async fn browser() {
                    carry_out(RouterKind::Browser, super::$both(), $of_both).await;
                }
            }
        )+)?

        $($(
            mod $bearer {
                #[tokio::test]
                async fn bearer() {
                    use axum_auth_module::endpoint::RouterKind;
                    crate::attacks::target::carry_out(RouterKind::Bearer, super::$bearer(), $of_bearer).await;
                }
            }
        )+)?
    };
}
pub(crate) use attacks;
