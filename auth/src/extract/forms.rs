//! What pages with forms send.

use serde_json::{Map, Value};

/// What a visitor enters to register.
///
/// ```
/// use axum_auth_module::extract::RegistrationForm;
///
/// let password = "correct horse battery staple";
/// let form = RegistrationForm::new("Ada", "ada@example.com", password, password).with_extra("newsletter", true);
/// # assert_eq!(form.extra["newsletter"], true);
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct RegistrationForm {
    /// The name.
    pub name: String,
    /// The e-mail address.
    pub email: String,
    /// The user name, with USERNAMES.
    pub username: Option<String>,
    /// The password.
    pub password: String,
    /// The password again.
    pub password_confirmation: String,
    /// Further fields, which the host's action finds in [`RegistrationData::extra`](crate::actions::RegistrationData::extra).
    pub extra: Map<String, Value>,
}

impl RegistrationForm {
    /// The fields of every registration. `password_confirmation` is the password again.
    pub fn new(
        name: impl Into<String>,
        email: impl Into<String>,
        password: impl Into<String>,
        password_confirmation: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            email: email.into(),
            username: None,
            password: password.into(),
            password_confirmation: password_confirmation.into(),
            extra: Map::new(),
        }
    }

    /// Adds the user name.
    #[must_use]
    pub fn with_username(self, username: impl Into<String>) -> Self {
        Self { username: Some(username.into()), ..self }
    }

    /// Adds a field of the host.
    #[must_use]
    pub fn with_extra(mut self, field: impl Into<String>, value: impl Into<Value>) -> Self {
        self.extra.insert(field.into(), value.into());
        self
    }
}

/// What somebody enters to register without a password. The address is proven already.
///
/// ```
/// use axum_auth_module::extract::PasswordlessForm;
///
/// let form = PasswordlessForm::new().with_name("Ada").with_username("ada").with_extra("newsletter", true);
/// # assert_eq!(form.extra["newsletter"], true);
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct PasswordlessForm {
    /// The name. `None`: that of the proof, if the proof has one.
    pub name: Option<String>,
    /// The user name, with USERNAMES.
    pub username: Option<String>,
    /// Further fields, which the host's action finds in
    /// [`PasswordlessRegistrationData::extra`](crate::actions::PasswordlessRegistrationData::extra).
    pub extra: Map<String, Value>,
}

impl PasswordlessForm {
    /// A form without fields.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the name.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Adds the user name.
    #[must_use]
    pub fn with_username(self, username: impl Into<String>) -> Self {
        Self { username: Some(username.into()), ..self }
    }

    /// Adds a field of the host.
    #[must_use]
    pub fn with_extra(mut self, field: impl Into<String>, value: impl Into<Value>) -> Self {
        self.extra.insert(field.into(), value.into());
        self
    }
}
