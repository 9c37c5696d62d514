//! A host that reads numbers from registrations. `tests/hosts/run` builds it with and without the features of
//! serde_json that change how numbers and nested values are read.

#[path = "../../drive.rs"]
mod drive;

use axum::Router;
use axum::extract::FromRef;
use axum::routing::get;
use axum_auth_module::actions::{ActionContext, ActionError, CreatesNewUsers, RegistrationData};
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::{AuthModule, AuthUser, CurrentUser, StandardActions, async_trait, auth_module};
use drive::Error;
use serde_json::{Map, Value};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

#[derive(Clone, Default, AuthUser)]
struct Account {
    id: u32,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
}

#[derive(Clone, FromRef)]
struct App {
    auth: AuthModule<Account>,
}

/// Remembers the extra fields of the last registration.
#[derive(Clone, Default)]
struct Remembers(Arc<Mutex<Map<String, Value>>>);

#[async_trait]
impl CreatesNewUsers<Account> for Remembers {
    fn extra_fields(&self) -> &[&'static str] {
        &["age", "preferences"]
    }

    async fn create(
        &self,
        data: RegistrationData,
        context: &ActionContext<Account>,
    ) -> Result<Account, ActionError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&data.extra);
        CreatesNewUsers::<Account>::create(&StandardActions, data, context).await
    }
}

fn app(registrations: Remembers) -> Result<Router, Error> {
    let auth = auth_module! {
        config: testing::config().build()?,
        features: [REGISTRATION],
        user_repo: MemoryUsers::<Account>::default(),
        actions: { CreatesNewUsers: registrations },
    };
    let me = get(async |CurrentUser(account): CurrentUser<Account>| account.email);
    Ok(Router::new().route("/me", me).nest("/auth", auth.router()).with_state(App { auth }))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    drive::whole_session(app(Remembers::default())?).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::http::Request;
    use serde_json::json;
    use tower::ServiceExt;

    #[tokio::test]
    async fn a_session_from_registration_to_logout() {
        drive::whole_session(app(Remembers::default()).unwrap()).await.unwrap();
    }

    /// Registers with this JSON as the value of `preferences`. Returns the status and the extra fields of the action.
    async fn register(preferences: &str) -> (u16, Value) {
        let registrations = Remembers::default();
        let body = format!(
            r#"{{ "name": "Ada", "email": "ada@example.com", "password": "correct horse battery",
                "passwordConfirmation": "correct horse battery", "age": 36, "preferences": {preferences} }}"#
        );
        let request = Request::post("/auth/register").header("content-type", "application/json");
        let request = request.body(Body::from(body)).unwrap();
        let response = app(registrations.clone()).unwrap().oneshot(request).await.unwrap();
        let extra = registrations.0.lock().unwrap().clone();
        (response.status().as_u16(), Value::Object(extra))
    }

    #[tokio::test]
    async fn numbers_reach_the_action_as_numbers() {
        for text in ["0", "-7", "18446744073709551615", "2.5", r#"{"page": [1, {"size": 50}]}"#] {
            let preferences: Value = serde_json::from_str(text).unwrap();
            assert_eq!(
                register(text).await,
                (201, json!({ "age": 36, "preferences": preferences })),
                "{text}"
            );
        }
    }

    /// The names under which serde_json passes numbers and raw values to itself.
    #[tokio::test]
    async fn an_object_with_a_name_private_to_serde_json_is_not_read() {
        for name in ["Number", "RawValue"] {
            for key in ["$", r"\u0024"] {
                for value in [r#""1""#, r#""{\"a\":1,\"a\":2}""#, "1", "{}"] {
                    let text = format!(r#"{{"{key}serde_json::private::{name}": {value}}}"#);
                    assert_eq!(register(&text).await, (400, json!({})), "{text}");
                }
            }
        }
    }
}
