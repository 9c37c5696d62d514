//! SOCIAL_LOGIN: a user signs in with an account at a provider, such as Google, GitHub or any OpenID provider.
//!
//! **Needs** an `IdentityRepository`, `SocialProviders` and an `HttpClient`.

mod accounts;
mod browser_handlers;
mod entries;
mod flows;
mod handlers;
mod hooks;
mod linking;
mod native;
mod protocol;
mod service;

pub use browser_handlers::PendingSteps;
pub(crate) use browser_handlers::begin_flow;
pub use linking::{LinkedOrKept, PendingLink, UserIdentity};
pub use native::NativeSignIn;
pub use service::{ProviderInfo, ProviderReturn, ProviderVisit, SocialLoginService, VisitOptions};

use crate::config::{Limit, SameSite, Settings};
use crate::core::RowsEnd;
use crate::endpoint::{
    Confirmation, Consequence, Credential, Endpoint, EndpointBody, EndpointField, EndpointFieldKind,
    EndpointResponse, OptionCheck, ResponseCondition, RouterKind,
};
use crate::erase::erase;
use crate::error::{AuthError, ErrorCode};
use crate::events::EventName;
use crate::feature::Feature;
use crate::given::SocialProviders as Given;
use crate::module::{Admin, AuthModuleBuilder, Pending};
use crate::outbound::HttpClient;
use crate::repository::IdentityRepository;
use crate::social::SocialProviders;
use crate::user::AuthUser;
use crate::watch::Watch;
use entries::Rows;
use hooks::OfIdentities;
use std::sync::Arc;

/// The limits of returns from a provider and of ID tokens: of all calls, and of those that do not verify.
const CALL_LIMITS: &[Limit] = &[Limit::SocialClientCalls];
const CALLBACK_LIMITS: &[Limit] = &[Limit::SocialClient];
const LIMITS: &[Limit] = &[Limit::SocialClientCalls, Limit::SocialClient];
/// Those of a sign-in, which can create an account.
const SIGN_IN_LIMITS: &[Limit] = &[Limit::SocialClientCalls, Limit::SocialClient, Limit::Register];

const FLOW_TOKEN: EndpointField = EndpointField::required("flowToken", EndpointFieldKind::NonEmptyText);
const FLOW_TOKEN_OF_CLIENTS: EndpointField = FLOW_TOKEN.only_on(RouterKind::Bearer);
const STATE: EndpointField = EndpointField::required("state", EndpointFieldKind::NonEmptyText);
const AUTH_CODE: EndpointField = EndpointField::required("code", EndpointFieldKind::NonEmptyText);
const ISS: EndpointField = EndpointField::optional("iss", EndpointFieldKind::Text);

/// What a page or an app opens.
const VISIT: EndpointResponse = EndpointResponse::object(
    "ProviderVisit",
    &[
        EndpointField::required("authorizationUrl", EndpointFieldKind::Uri),
        FLOW_TOKEN_OF_CLIENTS,
        EndpointField::required("expiresIn", EndpointFieldKind::Number).only_on(RouterKind::Bearer),
    ],
);

const REDIRECT_URI: EndpointField = EndpointField::optional("redirectUri", EndpointFieldKind::NonEmptyText);
const NEXT: EndpointField =
    EndpointField::optional("next", EndpointFieldKind::NonEmptyText).only_on(RouterKind::Browser);
const VISIT_FIELDS: &[EndpointField] = &[REDIRECT_URI, NEXT];

/// An identity of the user.
const ITEM: &[EndpointField] = &[
    EndpointField::required("id", EndpointFieldKind::NonEmptyText),
    EndpointField::required("provider", EndpointFieldKind::NonEmptyText),
    EndpointField::required("email", EndpointFieldKind::OrNull(&EndpointFieldKind::Text)),
    EndpointField::required("createdAt", EndpointFieldKind::Time),
    EndpointField::required("lastUsedAt", EndpointFieldKind::OrNull(&EndpointFieldKind::Time)),
];
const IDENTITY: EndpointResponse = EndpointResponse::object("Identity", ITEM);

const PROVIDERS: Endpoint = Endpoint::get("/oauth/providers", "providers")
    .of(Feature::SocialLogin)
    .summary("Returns the providers with which users can sign in.")
    .returns(&[EndpointResponse::list(
        "Providers",
        EndpointFieldKind::Object(&[
            EndpointField::required("name", EndpointFieldKind::NonEmptyText),
            EndpointField::required("nativeIdToken", EndpointFieldKind::Bool),
        ]),
        "an array with an object for each provider",
    )]);

const AUTHORIZE: Endpoint = Endpoint::post("/oauth/{provider}/authorize", "authorizeWithProvider")
    .of(Feature::SocialLogin)
    .summary("Begins a sign-in with a provider. The page or the app then opens `authorizationUrl`. Nothing is stored.")
    .takes(EndpointBody::Optional(&[REDIRECT_URI, NEXT, EndpointField::REMEMBER]))
    .returns(&[VISIT])
    .changes_cookies()
    .refuses(&[ErrorCode::NotFound, ErrorCode::ProviderRefused, ErrorCode::ProviderUnavailable]);

const SIGN_IN_EVENTS: &[EventName] = &[
    EventName::Registered,
    EventName::Login,
    EventName::LoginFailed,
    EventName::IdentityLinked,
    EventName::TwoFactorChallenged,
    EventName::SessionEnded,
    EventName::Lockout,
];
const SIGN_IN_ERRORS: &[ErrorCode] = &[
    ErrorCode::NotFound,
    ErrorCode::InvalidFlowToken,
    ErrorCode::ProviderRefused,
    ErrorCode::ProviderUnavailable,
    ErrorCode::ProviderEmailUnverified,
    ErrorCode::RegistrationClosed,
    ErrorCode::AccountExists,
    ErrorCode::EmailTaken,
    ErrorCode::Unauthenticated,
    ErrorCode::SecondFactorUnavailable,
    ErrorCode::NotAllowed,
];

const CALLBACK: Endpoint = Endpoint::post("/oauth/{provider}/callback", "loginWithProvider")
    .of(Feature::SocialLogin)
    .only_on(RouterKind::Bearer)
    .summary("Starts a session, or a registration, for somebody who has come back from a provider.")
    .takes(EndpointBody::Required(&[FLOW_TOKEN, AUTH_CODE, STATE, ISS, EndpointField::DEVICE_TOKEN]))
    .returns(EndpointResponse::PROVIDER_OUTCOMES)
    .limits(SIGN_IN_LIMITS)
    .emits(SIGN_IN_EVENTS)
    .leads_to(Consequence::Arrival)
    .refuses(SIGN_IN_ERRORS);

const RETURN: Endpoint = Endpoint::get("/oauth/{provider}/callback", "returnFromProvider")
    .of(Feature::SocialLogin)
    .redirects()
    .only_on(RouterKind::Browser)
    .without_head()
    .summary("The redirect URI: ends a sign-in, a link or a confirmation, and sends the browser to a page of the host.")
    .query(&[
        EndpointField::optional("code", EndpointFieldKind::Text),
        EndpointField::optional("state", EndpointFieldKind::Text),
        EndpointField::optional("iss", EndpointFieldKind::Text),
        EndpointField::optional("error", EndpointFieldKind::Text),
    ])
    .returns(&[
        EndpointResponse::redirect("Returned", "a redirect to a page of the host, with `error` in its query after a failure")
            .when(ResponseCondition::Configured("unless `same_site` is `Strict`", OptionCheck(|settings| !is_strict(settings)))),
        EndpointResponse::page("ReturnedToPage", "a page that sends the browser on at once")
            .when(ResponseCondition::Configured("with `same_site` `Strict`", OptionCheck(is_strict))),
    ])
    .changes_cookies()
    .limits(SIGN_IN_LIMITS)
    .emits(&[
        EventName::Registered,
        EventName::Login,
        EventName::LoginFailed,
        EventName::Confirmed,
        EventName::IdentityLinked,
        EventName::TwoFactorChallenged,
        EventName::SessionEnded,
        EventName::Lockout,
    ])
    .leads_to(Consequence::Arrival)
    .refuses(&[ErrorCode::NotFound]);

const fn is_strict(settings: &Settings) -> bool {
    matches!(settings.browser.same_site, SameSite::Strict)
}

const NONCE: Endpoint = Endpoint::post("/oauth/{provider}/nonce", "providerNonce")
    .of(Feature::SocialLogin)
    .summary("Returns what an app or a page needs to get an ID token of a provider. Nothing is stored.")
    .returns(&[EndpointResponse::object(
        "ProviderNonce",
        &[
            EndpointField::required("nonce", EndpointFieldKind::NonEmptyText),
            FLOW_TOKEN,
            EndpointField::required("expiresIn", EndpointFieldKind::Number),
        ],
    )])
    .refuses(&[ErrorCode::NotFound]);

const ID_TOKEN: Endpoint = Endpoint::post("/oauth/{provider}/id-token", "loginWithIdToken")
    .of(Feature::SocialLogin)
    .summary("Starts a session, or a registration, for somebody who has an ID token of a provider.")
    .takes(EndpointBody::Required(&[
        FLOW_TOKEN,
        EndpointField::required("idToken", EndpointFieldKind::NonEmptyText),
        EndpointField::optional("name", EndpointFieldKind::UserName),
        EndpointField::REMEMBER,
        EndpointField::DEVICE_TOKEN,
    ]))
    .returns(EndpointResponse::PROVIDER_OUTCOMES)
    .changes_cookies()
    .limits(SIGN_IN_LIMITS)
    .emits(SIGN_IN_EVENTS)
    .leads_to(Consequence::Arrival)
    .refuses(SIGN_IN_ERRORS);

const LIST: Endpoint = Endpoint::get("/user/identities", "listIdentities")
    .of(Feature::SocialLogin)
    .summary("Returns the user's identities at providers, the oldest first.")
    .requires(Credential::Session)
    .returns(&[EndpointResponse::list(
        "Identities",
        EndpointFieldKind::Object(ITEM),
        "an array with an object for each identity",
    )]);

const AUTHORIZE_LINK: Endpoint = Endpoint::post("/user/identities/{provider}/authorize", "authorizeIdentity")
    .of(Feature::SocialLogin)
    .summary("Begins a visit to a provider that links an identity to the user.")
    .requires(Credential::RecentConfirmation)
    .confirmed_by(Confirmation::step_up)
    .takes(EndpointBody::Optional(VISIT_FIELDS))
    .returns(&[VISIT])
    .changes_cookies()
    .refuses(&[
        ErrorCode::EmailNotVerified,
        ErrorCode::NotFound,
        ErrorCode::ProviderRefused,
        ErrorCode::ProviderUnavailable,
    ]);

const LINK: Endpoint = Endpoint::post("/user/identities", "linkIdentity")
    .of(Feature::SocialLogin)
    .summary("Links the identity with which the user has come back from a provider, or that of a link token.")
    .requires(Credential::Session)
    .takes(EndpointBody::Optional(&[
        EndpointField::optional("linkToken", EndpointFieldKind::NonEmptyText).only_on(RouterKind::Bearer),
        EndpointField::optional("flowToken", EndpointFieldKind::NonEmptyText).only_on(RouterKind::Bearer),
        EndpointField::optional("code", EndpointFieldKind::NonEmptyText).only_on(RouterKind::Bearer),
        EndpointField::optional("state", EndpointFieldKind::NonEmptyText).only_on(RouterKind::Bearer),
        ISS.only_on(RouterKind::Bearer),
    ]))
    .creates()
    .returns(&[
        IDENTITY,
        IDENTITY.when(ResponseCondition::Request("if the user has the identity already")).with_status(200),
    ])
    .changes_cookies()
    .limits(LIMITS)
    .emits(&[EventName::IdentityLinked, EventName::Lockout])
    .refuses(&[
        ErrorCode::EmailNotVerified,
        ErrorCode::PasswordConfirmationRequired,
        ErrorCode::InvalidFlowToken,
        ErrorCode::ProviderRefused,
        ErrorCode::ProviderUnavailable,
        ErrorCode::IdentityTaken,
    ]);

const UNLINK: Endpoint = Endpoint::delete("/user/identities/{id}", "unlinkIdentity")
    .of(Feature::SocialLogin)
    .summary("Unlinks an identity of the user and ends the user's other sessions.")
    .requires(Credential::RecentConfirmation)
    .confirmed_by(Confirmation::step_up)
    .returns(&[EndpointResponse::CHANGED])
    .emits(&[EventName::IdentityUnlinked, EventName::SessionEnded])
    .refuses(&[ErrorCode::NotFound, ErrorCode::LastSignInMethod]);

const AUTHORIZE_CONFIRMATION: Endpoint =
    Endpoint::post("/user/confirm-provider/{provider}/authorize", "authorizeConfirmation")
        .of(Feature::SocialLogin)
        .summary("Begins a visit to a provider that asks the user again.")
        .requires(Credential::Session)
        .takes(EndpointBody::Optional(VISIT_FIELDS))
        .returns(&[VISIT])
        .changes_cookies()
        .refuses(&[ErrorCode::NotFound, ErrorCode::ProviderRefused, ErrorCode::ProviderUnavailable]);

const CONFIRM: Endpoint = Endpoint::post("/user/confirm-provider", "confirmWithProvider")
    .of(Feature::SocialLogin)
    .only_on(RouterKind::Bearer)
    .summary("Confirms in this session with the identity with which the user has come back from a provider.")
    .requires(Credential::Session)
    .takes(EndpointBody::Required(&[FLOW_TOKEN, AUTH_CODE, STATE, ISS]))
    .returns(&[EndpointResponse::CONFIRMED])
    .limits(LIMITS)
    .emits(&[EventName::Confirmed, EventName::Lockout])
    .refuses(&[ErrorCode::InvalidFlowToken, ErrorCode::ProviderRefused, ErrorCode::ProviderUnavailable]);

const PENDING: Endpoint = Endpoint::get("/oauth/pending", "pendingProviderSteps")
    .of(Feature::SocialLogin)
    .only_on(RouterKind::Browser)
    .summary("Returns the registration and the link that the browser has begun with a provider.")
    .returns(&[EndpointResponse::object(
        "PendingProviderSteps",
        &[
            EndpointField::required(
                "registration",
                EndpointFieldKind::OrNull(&EndpointFieldKind::Object(&[
                    EndpointField::required("provider", EndpointFieldKind::NonEmptyText),
                    EndpointField::EMAIL,
                    EndpointField::required("name", EndpointFieldKind::OrNull(&EndpointFieldKind::UserName)),
                    EndpointField::required(
                        "asksFor",
                        EndpointFieldKind::List(&EndpointFieldKind::NonEmptyText),
                    ),
                ])),
            ),
            EndpointField::required(
                "link",
                EndpointFieldKind::OrNull(&EndpointFieldKind::Object(&[
                    EndpointField::required("provider", EndpointFieldKind::NonEmptyText),
                    EndpointField::EMAIL,
                ])),
            ),
        ],
    )]);

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// SOCIAL_LOGIN: the `/oauth`, `/user/identities` and `/user/confirm-provider` routes. `http_client` sends the requests to the
    /// providers: [`OutboundClient`](crate::http::OutboundClient), or one of the host.
    pub fn social_login<R, P, C>(self, identity_repo: R, social_providers: P, http_client: C) -> Self
    where
        R: IdentityRepository,
        P: Given,
        C: HttpClient,
    {
        let identities = erase::<dyn IdentityRepository, _>(identity_repo, |identities| identities);
        let client = erase::<dyn HttpClient, _>(http_client, |client| client);
        let rows = Rows(Arc::new(Watch::over(identities)));
        let providers = erase::<dyn Given, _>(social_providers, Given::provided).providers();
        self.mount(pending(rows, providers, Arc::new(Watch::over(client))))
    }
}

fn pending(identities: Rows, providers: SocialProviders, client: Arc<dyn HttpClient>) -> Pending {
    let ends = RowsEnd(identities.clone());
    let hooks = OfIdentities { identities: identities.clone(), providers: providers.clone() };
    Pending::new(move |core| SocialLoginService::new(core, identities, &providers, &client))
        .with_hooks(hooks)
        .with_hooks(ends)
}

impl<U: AuthUser> Admin<'_, U> {
    /// Removes all identities of a user and ends every session, and returns how many identities there were. The host must make sure that
    /// the user can sign in without them. A call that has failed can be repeated.
    ///
    /// ```
    /// use axum_auth_module::{AuthError, AuthModule, AuthUser};
    ///
    /// async fn left_the_company<U: AuthUser>(auth: AuthModule<U>, user_id: U::Id) -> Result<(), AuthError> {
    ///     let removed = auth.admin().unlink_identities(&user_id).await?;
    ///     println!("{removed} identities are unlinked");
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// Those of the repositories and the store; [`AuthError::Internal`] when there is no such user, or when SOCIAL_LOGIN is not enabled.
    pub async fn unlink_identities(&self, user_id: &U::Id) -> Result<u64, AuthError> {
        let service: Option<&SocialLoginService> = self.service();
        let service = service.ok_or_else(|| AuthError::internal("`unlink_identities` needs SOCIAL_LOGIN"))?;
        self.remove_rows(&service.identities, user_id).await
    }
}
