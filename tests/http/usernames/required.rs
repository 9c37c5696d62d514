//! A host in which every user has a user name: the field of its record is no `Option`.

use super::ADA;
use crate::support::providers::Outbox;
use crate::support::{EMAIL, PASSWORD, registration, serve};
use axum::Router;
use axum_auth_module::actions::{
    ActionContext, ActionError, CreatesPasswordlessUsers, PasswordlessRegistrationData,
};
use axum_auth_module::delivery::EmailLoginMessage;
use axum_auth_module::endpoint::EndpointField;
use axum_auth_module::repository::{RepositoryError, UserRepository};
use axum_auth_module::testing::{self, MemoryUsers};
use axum_auth_module::user::{NewUser, UserChange, UserPatch};
use axum_auth_module::{AuthModule, AuthUser, StandardActions, async_trait};
use reqwest::{Client, Response};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::SystemTime;

#[derive(Clone, Default, AuthUser)]
struct Member {
    id: i64,
    name: String,
    email: String,
    password: String,
    email_verified_at: Option<SystemTime>,
    two_factor_secret: Option<String>,
    two_factor_recovery_codes: Option<String>,
    two_factor_confirmed_at: Option<SystemTime>,
    password_confirmed_at: Option<SystemTime>,
    #[auth(username)]
    handle: String,
}

/// Asks for nothing: a user is called as the user name says.
struct NamedByUsername;

#[async_trait]
impl CreatesPasswordlessUsers<Member> for NamedByUsername {
    async fn create(
        &self,
        data: PasswordlessRegistrationData,
        context: &ActionContext<Member>,
    ) -> Result<Member, ActionError> {
        let username = data.username.expect("the module has asked for it");
        let user = NewUser::new(username.as_str(), data.email, "").with_username(username);
        Ok(context.users().create(user).await?)
    }

    fn asks_for(&self) -> &[&'static str] {
        &[]
    }
}

struct Host {
    address: SocketAddr,
    users: MemoryUsers<Member>,
    auth: AuthModule<Member>,
    outbox: Outbox,
    http: Client,
}

impl Host {
    async fn start() -> Self {
        let (users, outbox) = (MemoryUsers::<Member>::default(), Outbox::default());
        let auth = AuthModule::builder(testing::config().build().unwrap(), users.clone())
            .registration(StandardActions)
            .email_verification(outbox.clone())
            .update_profile_information(StandardActions)
            .email_login(outbox.clone())
            .passwordless_registration(NamedByUsername)
            .usernames()
            .build()
            .unwrap();
        let address = serve(Router::new().nest("/auth", auth.router())).await;
        Self { address, users, auth, outbox, http: Client::new() }
    }

    async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let url = format!("http://{}/auth{path}", self.address);
        read(self.http.post(url).json(body).send().await.unwrap()).await
    }

    async fn put(&self, path: &str, access: &str, body: &Value) -> (u16, Value) {
        let url = format!("http://{}/auth{path}", self.address);
        read(self.http.put(url).bearer_auth(access).json(body).send().await.unwrap()).await
    }

    fn username_of(&self, operation: &str) -> EndpointField {
        let mut endpoints = self.auth.endpoints().iter();
        let endpoint = endpoints.find(|endpoint| endpoint.operation == operation).unwrap();
        *endpoint.body.fields().iter().find(|field| field.name == "username").unwrap()
    }
}

async fn read(response: Response) -> (u16, Value) {
    (response.status().as_u16(), response.json().await.unwrap())
}

fn field_errors(body: &Value) -> Vec<String> {
    let errors = body["errors"].as_array().into_iter().flatten();
    let text = |error: &Value, member: &str| error[member].as_str().unwrap().to_owned();
    errors.map(|error| format!("{}: {}", text(error, "field"), text(error, "code"))).collect()
}

#[tokio::test]
async fn a_registration_needs_a_user_name() {
    let host = Host::start().await;
    let mut body = registration(EMAIL);
    for username in [None, Some(Value::Null), Some("".into())] {
        if let Some(username) = username {
            body["username"] = username;
        }
        let (status, problem) = host.post("/register", &body).await;
        assert_eq!((status, field_errors(&problem)), (422, vec!["username: required".to_owned()]));
    }
    body["username"] = "Ada.L".into();
    assert_eq!(host.post("/register", &body).await.0, 201);
    assert_eq!(host.users.by_email(EMAIL).unwrap().handle, ADA);
    let login = json!({ "username": ADA, "password": PASSWORD });
    assert_eq!(host.post("/login", &login).await.0, 200);
    assert!(host.username_of("register").is_required);
    assert!(host.username_of("registerPasswordless").is_required);
}

#[tokio::test]
async fn a_profile_update_keeps_a_user_name() {
    let host = Host::start().await;
    let mut body = registration(EMAIL);
    body["username"] = ADA.into();
    let (_, session) = host.post("/register", &body).await;
    let access = session["accessToken"].as_str().unwrap();
    let mut body = json!({ "name": "Ada Lovelace", "email": EMAIL, "username": null });
    let (status, problem) = host.put("/user/profile-information", access, &body).await;
    assert_eq!((status, field_errors(&problem)), (422, vec!["username: required".to_owned()]));
    body.as_object_mut().unwrap().remove("username");
    assert_eq!(host.put("/user/profile-information", access, &body).await.0, 200);
    assert_eq!(host.users.by_email(EMAIL).unwrap().handle, ADA);
    body["username"] = "countess".into();
    assert_eq!(host.put("/user/profile-information", access, &body).await.0, 200);
    assert_eq!(host.users.by_email(EMAIL).unwrap().handle, "countess");
    assert!(!host.username_of("updateProfileInformation").is_required);
}

/// Otherwise an account would begin without one, as soon as the address is proven.
#[tokio::test]
async fn a_newcomer_is_asked_for_a_user_name_even_if_the_action_asks_for_nothing() {
    let host = Host::start().await;
    let (_, begun) = host.post("/login/email", &json!({ "email": EMAIL })).await;
    let mail: EmailLoginMessage = host.outbox.next().await;
    let proof = json!({ "flowToken": begun["flowToken"], "code": mail.code.unwrap() });
    let (status, asked) = host.post("/login/email/verify", &proof).await;
    assert_eq!((status, &asked["registration"]), (200, &json!(true)), "{asked}");
    assert!(host.users.all().is_empty());
    let mut body = json!({ "registrationToken": asked["registrationToken"] });
    let (status, problem) = host.post("/register/passwordless", &body).await;
    assert_eq!((status, field_errors(&problem)), (422, vec!["username: required".to_owned()]));
    body["username"] = ADA.into();
    assert_eq!(host.post("/register/passwordless", &body).await.0, 201);
    let user = host.users.by_email(EMAIL).unwrap();
    assert_eq!((user.name.as_str(), user.handle.as_str()), (ADA, ADA));
}

/// A host's own code that removes it gets an error, and nothing is written.
#[tokio::test]
async fn a_record_whose_user_name_cannot_be_null_keeps_it() {
    let users = MemoryUsers::<Member>::default();
    let user = users.create(NewUser::new("Ada", EMAIL, "").with_username(ADA)).await.unwrap();
    let patch = UserPatch::new(user.id).with(UserChange::Username(None));
    let refused = users.save(patch).await.err().unwrap();
    assert!(matches!(refused, RepositoryError::Other(_)), "{refused:?}");
    assert_eq!(users.by_email(EMAIL).unwrap().handle, ADA);
}
