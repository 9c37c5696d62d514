//! Routes of the host that require more than a login: `/assured/LEVEL` and `/assured/LEVEL/AGE`.

use super::{Account, Host};
use axum::Router;
use axum::routing::get;
use axum_auth_module::assurance::{Assurance, Level};
use axum_auth_module::extract::Assured;
use std::time::Duration;

/// Declares requirements, and a route for each.
macro_rules! routes {
    ($($path:literal $name:ident $level:ident $max_age:expr;)*) => {
        $(struct $name;

        impl Assurance for $name {
            const LEVEL: Level = Level::$level;
            const MAX_AGE: Option<Duration> = $max_age;
        })*

        pub(super) fn routes() -> Router<Host> {
            Router::new()
                $(.route($path, get(async |Assured(user, ..): Assured<Account, $name>| user.email)))*
                .route(
                    "/assured/optional",
                    get(async |user: Option<Assured<Account, TwoFactors>>| user.is_some().to_string()),
                )
        }
    };
}

routes! {
    "/assured/aal1" OneFactor OneFactor None;
    "/assured/aal1/300" OneFactorOfLate OneFactor Some(Duration::from_secs(300));
    "/assured/aal2" TwoFactors TwoFactors None;
    "/assured/aal2/300" TwoFactorsOfLate TwoFactors Some(Duration::from_secs(300));
    "/assured/phr" PhishingResistant PhishingResistant None;
    "/assured/phr/300" PhishingResistantOfLate PhishingResistant Some(Duration::from_secs(300));
}
