//! PASSKEYS: a user signs in with a passkey, which a device keeps and which works on the pages of the host alone.
//!
//! **Needs** a `PasskeyRepository`, and the option `relying_party`.

mod entries;
mod flows;
mod handlers;
mod hooks;
mod managing;
mod names;
mod options;
mod service;
mod verification;
mod webauthn;

pub use managing::{PasskeyRemoval, UserPasskey, UserPasskeys};
#[cfg(feature = "command")]
pub(super) use service::of_settings;
pub use service::{PasskeyCeremony, PasskeysService};

use crate::config::{AuthConfig, ConfigProblem, Limit};
use crate::core::RowsEnd;
use crate::endpoint::{
    Confirmation, Credential, Endpoint, EndpointBody, EndpointField, EndpointFieldKind, EndpointResponse,
};
use crate::erase::erase;
use crate::error::{AuthError, ErrorCode};
use crate::events::EventName;
use crate::feature::Feature;
use crate::module::{Admin, AuthModuleBuilder, Pending};
use crate::repository::PasskeyRepository;
use crate::user::AuthUser;
use crate::watch::Watch;
use entries::Rows;
use hooks::OfPasskeys;
use std::sync::Arc;

/// The limit of passkeys that do not verify.
const LIMITS: &[Limit] = &[Limit::PasskeyClient];

/// What a configuration without a relying party is told.
const NO_RELYING_PARTY: &str = "PASSKEYS needs it: set `relying_party(RelyingParty::new(\"example.com\", \"Example\", \
                                [\"https://example.com\"])?)` of the configuration, or AUTH_PASSKEY_RP_ID, AUTH_PASSKEY_RP_NAME and \
                                AUTH_PASSKEY_ORIGINS";

const FLOW_TOKEN: EndpointField = EndpointField::required("flowToken", EndpointFieldKind::NonEmptyText);
const CREDENTIAL: EndpointField = EndpointField::required("credential", EndpointFieldKind::AnyObject);

/// What a page passes to `navigator.credentials`, and the flow token that it sends back.
const OPTIONS: EndpointResponse = EndpointResponse::object(
    "PasskeyOptions",
    &[
        EndpointField::required("options", EndpointFieldKind::AnyObject),
        FLOW_TOKEN,
        EndpointField::required("expiresIn", EndpointFieldKind::Number),
    ],
);

/// A passkey of the user.
const ITEM: &[EndpointField] = &[
    EndpointField::required("id", EndpointFieldKind::NonEmptyText),
    EndpointField::required("credentialId", EndpointFieldKind::NonEmptyText),
    EndpointField::required("name", EndpointFieldKind::NonEmptyText),
    EndpointField::required("aaguid", EndpointFieldKind::OrNull(&EndpointFieldKind::Text)),
    EndpointField::required("transports", EndpointFieldKind::List(&EndpointFieldKind::Text)),
    EndpointField::required("backedUp", EndpointFieldKind::Bool),
    EndpointField::required("backupEligible", EndpointFieldKind::Bool),
    EndpointField::required("usable", EndpointFieldKind::Bool),
    EndpointField::required("createdAt", EndpointFieldKind::Time),
    EndpointField::required("lastUsedAt", EndpointFieldKind::OrNull(&EndpointFieldKind::Time)),
];
const PASSKEY: EndpointResponse = EndpointResponse::object("Passkey", ITEM);

const RP_ID: EndpointField = EndpointField::required("rpId", EndpointFieldKind::NonEmptyText);

const LOGIN_OPTIONS: Endpoint = Endpoint::get("/passkeys/login/options", "passkeyLoginOptions")
    .of(Feature::Passkeys)
    .summary("Returns what a page needs to ask for a passkey. It names no account, and is stored nowhere.")
    .returns(&[OPTIONS]);

const LOGIN: Endpoint = Endpoint::post("/passkeys/login", "loginWithPasskey")
    .of(Feature::Passkeys)
    .summary(
        "Starts a session for a user who has a passkey, or a challenge if the passkey has not verified its user.",
    )
    .takes(EndpointBody::Required(&[
        FLOW_TOKEN,
        CREDENTIAL,
        EndpointField::REMEMBER,
        EndpointField::DEVICE_TOKEN,
    ]))
    .returns(&[EndpointResponse::SIGNED_IN, EndpointResponse::CHALLENGED])
    .limits(LIMITS)
    .emits(&[
        EventName::Login,
        EventName::LoginFailed,
        EventName::TwoFactorChallenged,
        EventName::PasskeyCounterRegressed,
        EventName::SessionEnded,
        EventName::Lockout,
    ])
    .refuses(&[
        ErrorCode::InvalidFlowToken,
        ErrorCode::InvalidPasskey,
        ErrorCode::UnknownPasskey,
        ErrorCode::SecondFactorUnavailable,
        ErrorCode::NotAllowed,
    ]);

const LIST: Endpoint = Endpoint::get("/user/passkeys", "listPasskeys")
    .of(Feature::Passkeys)
    .summary("Returns the user's passkeys, the oldest first, with what the signal methods of browsers take.")
    .requires(Credential::Session)
    .returns(&[EndpointResponse::object(
        "Passkeys",
        &[
            RP_ID,
            EndpointField::required("userHandle", EndpointFieldKind::OrNull(&EndpointFieldKind::Text)),
            EndpointField::required(
                "user",
                EndpointFieldKind::Object(&[
                    EndpointField::required("name", EndpointFieldKind::Text),
                    EndpointField::required("displayName", EndpointFieldKind::Text),
                ]),
            ),
            EndpointField::required("passkeys", EndpointFieldKind::List(&EndpointFieldKind::Object(ITEM))),
        ],
    )]);

const ADD_OPTIONS: Endpoint = Endpoint::get("/user/passkeys/options", "newPasskeyOptions")
    .of(Feature::Passkeys)
    .summary("Returns what a page needs to make a passkey.")
    .requires(Credential::RecentConfirmation)
    .confirmed_by(Confirmation::step_up)
    .returns(&[OPTIONS])
    .refuses(&[ErrorCode::EmailNotVerified, ErrorCode::LimitReached]);

const ADD: Endpoint = Endpoint::post("/user/passkeys", "addPasskey")
    .of(Feature::Passkeys)
    .summary("Adds a passkey that the browser has made.")
    .requires(Credential::Session)
    .takes(EndpointBody::Required(&[
        FLOW_TOKEN,
        CREDENTIAL,
        EndpointField::optional("name", EndpointFieldKind::Text),
    ]))
    .creates()
    .returns(&[PASSKEY])
    .limits(LIMITS)
    .emits(&[EventName::PasskeyAdded, EventName::Lockout])
    .refuses(&[
        ErrorCode::EmailNotVerified,
        ErrorCode::InvalidFlowToken,
        ErrorCode::InvalidPasskey,
        ErrorCode::PasskeyTaken,
        ErrorCode::LimitReached,
    ]);

const RENAME: Endpoint = Endpoint::put("/user/passkeys/{id}", "renamePasskey")
    .of(Feature::Passkeys)
    .summary("Gives a passkey of the user another name.")
    .requires(Credential::Session)
    .takes(EndpointBody::Required(&[EndpointField::required("name", EndpointFieldKind::NonEmptyText)]))
    .returns(&[PASSKEY])
    .emits(&[EventName::PasskeyRenamed])
    .refuses(&[ErrorCode::NotFound]);

const REMOVE: Endpoint = Endpoint::delete("/user/passkeys/{id}", "removePasskey")
    .of(Feature::Passkeys)
    .summary("Removes a passkey of the user and ends the user's other sessions.")
    .requires(Credential::RecentConfirmation)
    .confirmed_by(Confirmation::step_up)
    .returns(&[EndpointResponse::object(
        "PasskeyRemoved",
        &[
            EndpointField::MESSAGE,
            RP_ID,
            EndpointField::required("userHandle", EndpointFieldKind::NonEmptyText),
            EndpointField::required(
                "credentialIds",
                EndpointFieldKind::List(&EndpointFieldKind::NonEmptyText),
            ),
            EndpointField::ACCESS_TOKEN,
            EndpointField::REFRESH_TOKEN,
        ],
    )])
    .emits(&[EventName::PasskeyRemoved, EventName::SessionEnded])
    .refuses(&[ErrorCode::NotFound, ErrorCode::LastSignInMethod]);

const CHALLENGE_OPTIONS: Endpoint =
    Endpoint::post("/two-factor-challenge/passkey-options", "passkeyChallengeOptions")
        .of(Feature::Passkeys)
        .summary("Returns what a page needs to complete a challenge with one of the user's passkeys.")
        .takes(EndpointBody::Required(&[EndpointField::CHALLENGE_TOKEN]))
        .returns(&[OPTIONS])
        .refuses(&[ErrorCode::InvalidChallengeToken, ErrorCode::NotFound]);

const CONFIRM_OPTIONS: Endpoint =
    Endpoint::get("/user/confirm-passkey/options", "passkeyConfirmationOptions")
        .of(Feature::Passkeys)
        .summary("Returns what a page needs to confirm with one of the user's passkeys.")
        .requires(Credential::Session)
        .returns(&[OPTIONS])
        .refuses(&[ErrorCode::NotFound]);

const CONFIRM: Endpoint = Endpoint::post("/user/confirm-passkey", "confirmWithPasskey")
    .of(Feature::Passkeys)
    .summary("Confirms in this session with one of the user's passkeys.")
    .requires(Credential::Session)
    .takes(EndpointBody::Required(&[FLOW_TOKEN, CREDENTIAL]))
    .returns(&[EndpointResponse::CONFIRMED])
    .changes_cookies()
    .limits(LIMITS)
    .emits(&[EventName::Confirmed, EventName::PasskeyCounterRegressed, EventName::Lockout])
    .refuses(&[ErrorCode::InvalidFlowToken, ErrorCode::InvalidPasskey]);

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// PASSKEYS: the `/passkeys/login`, `/user/passkeys` and `/user/confirm-passkey` routes, and passkeys at the challenge. It needs the
    /// option [`relying_party`](crate::config::AuthConfigBuilder::relying_party).
    pub fn passkeys<R: PasskeyRepository>(self, passkey_repo: R) -> Self {
        let passkeys = erase::<dyn PasskeyRepository, _>(passkey_repo, |passkeys| passkeys);
        let pending = pending(self.config(), Rows(Arc::new(Watch::over(passkeys))));
        self.mount(pending)
    }
}

fn pending(config: &AuthConfig, passkeys: Rows) -> Pending {
    let lacks_site = config.relying_party.is_none();
    let problem = lacks_site.then(|| ConfigProblem::new("relying_party", NO_RELYING_PARTY));
    let ends = RowsEnd(passkeys.clone());
    let hooks = OfPasskeys { passkeys: passkeys.clone() };
    Pending::new(|core| PasskeysService::new(core, passkeys))
        .with_hooks(hooks)
        .with_hooks(ends)
        .with_problems(problem.into_iter().collect())
}

impl<U: AuthUser> Admin<'_, U> {
    /// Removes all passkeys of a user and ends every session, and returns how many passkeys there were. The host must make sure that the
    /// user can sign in without them. A call that has failed can be repeated.
    ///
    /// ```
    /// use axum_auth_module::{AuthError, AuthModule, AuthUser};
    ///
    /// async fn stolen_devices<U: AuthUser>(auth: AuthModule<U>, user_id: U::Id) -> Result<(), AuthError> {
    ///     let removed = auth.admin().remove_passkeys(&user_id).await?;
    ///     println!("{removed} passkeys are removed");
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// Those of the repositories and the store; [`AuthError::Internal`] when there is no such user, or when PASSKEYS is not enabled.
    pub async fn remove_passkeys(&self, user_id: &U::Id) -> Result<u64, AuthError> {
        let service: Option<&PasskeysService> = self.service();
        let service = service.ok_or_else(|| AuthError::internal("`remove_passkeys` needs PASSKEYS"))?;
        self.remove_rows(&service.passkeys, user_id).await
    }
}
