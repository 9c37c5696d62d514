//! What a provider that breaks leaves open: nothing (ASVS 16.5.2, 16.5.3). `every_route::broken_methods` breaks every single
//! call of every flow; here are the calls that decide whether somebody gets in.

use super::target::{INTERNAL, Refusal, Target, no_limits};
use crate::support::authenticator::Enrolled;
use crate::support::places::Place;
use crate::support::providers::{CAUSE, faults};
use crate::support::routers::on_both_routers;
use crate::support::{Call, EMAIL, PASSWORD};
use axum_auth_module::testing::{Fault, ProviderMethod};
use std::time::Duration;

/// How many attacks the tests of this family make, those on both routers counted once.
pub(super) const ATTACKS: usize = 33;

on_both_routers![threads: decisions_that_cannot_be_made];

const UNAVAILABLE: Refusal = (503, "unavailable");

/// Who wants to get in, and has what is needed.
struct Visitor {
    enrolled: Enrolled,
    challenge: String,
    reset_token: String,
}

impl Visitor {
    /// The failed request may have used up the code and the challenge.
    async fn is_challenged(&mut self, target: &Target) {
        target.next_step();
        self.challenge = target.challenge_token(EMAIL).await;
    }
}

/// A request, and the call of a provider that decides over it.
type Decision = (&'static str, ProviderMethod, fn(&Target, &Visitor) -> Call);

const DECISIONS: [Decision; 11] = [
    ("who the user is", ProviderMethod::UsersFindById, |target, who| {
        target.get("/auth/user/sessions").bearer(&who.enrolled.tokens.access)
    }),
    ("whether the session has ended", ProviderMethod::SessionsFind, |target, who| {
        target.get("/auth/user/sessions").bearer(&who.enrolled.tokens.access)
    }),
    ("whether it was confirmed", ProviderMethod::SessionsFind, |target, who| {
        target.get("/auth/user/two-factor-secret-key").bearer(&who.enrolled.tokens.access)
    }),
    ("whose address it is", ProviderMethod::UsersFindByField, |target, _| target.login_call(EMAIL, PASSWORD)),
    ("how many guesses there were", ProviderMethod::StoreCount, |target, _| {
        target.login_call(EMAIL, PASSWORD)
    }),
    ("how many codes there were", ProviderMethod::StoreCount, by_code),
    ("whether the code was used", ProviderMethod::StoreSwap, by_code),
    ("that the session begins", ProviderMethod::SessionsCreate, by_code),
    ("who answers the challenge", ProviderMethod::UsersFindById, by_code),
    ("how many passwords there were", ProviderMethod::StoreCount, |target, who| {
        target.confirm(&who.enrolled.tokens.access, PASSWORD)
    }),
    ("how many tokens there were", ProviderMethod::StoreCount, |target, who| {
        target.reset(EMAIL, &who.reset_token)
    }),
];

fn by_code(target: &Target, who: &Visitor) -> Call {
    target.challenge(&who.challenge, &who.enrolled.authenticator.code(target))
}

async fn decisions_that_cannot_be_made() {
    let (place, faults) = (Place::memory(), faults());
    let config = |config: axum_auth_module::config::AuthConfigBuilder| {
        let hours = Duration::from_secs(2 * 3600);
        let config = config.limits(no_limits()).store_timeout(Duration::from_secs(5));
        // The time goes on with each code.
        config.access_token_lifetime(hours).password_timeout(hours)
    };
    let target = Target::on(place.start_faulty(&faults, config).await);
    let enrolled = target.enrolled(EMAIL).await;
    let reset_token = target.reset_token(EMAIL).await;
    let challenge = target.challenge_token(EMAIL).await;
    let mut who = Visitor { enrolled, challenge, reset_token };
    for (what, method, call) in DECISIONS {
        for fault in [Fault::Fails, Fault::IsUnavailable, Fault::Panics] {
            let refusal = match fault {
                Fault::Panics => INTERNAL,
                Fault::Fails if method.name().starts_with("users.") => INTERNAL,
                _ => UNAVAILABLE,
            };
            who.is_challenged(&target).await;
            faults.next(method, fault);
            let answer = target.refuses(format!("{what}: {fault:?}"), call(&target, &who), refusal).await;
            assert!(faults.have_happened() && !answer.text.contains(CAUSE), "{what}: {}", answer.text);
        }
        who.is_challenged(&target).await;
        target.serves(what, call(&target, &who), 200).await;
    }
    target.finish(ATTACKS).await;
}
