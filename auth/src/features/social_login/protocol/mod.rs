//! The protocol between the program and a provider (OAuth 2, OpenID Connect Core 1.0 and Discovery 1.0): the authorization request, the
//! token request, and whose account the provider's response is about. No routes, no users, and no storage.

mod authorization;
mod cached;
mod flaw;
mod github;
mod id_token;
mod keys;
mod metadata;
mod person;
mod requests;
#[cfg(test)]
#[cfg(feature = "testing")]
mod tests;
mod token_request;
mod user_info;

pub(crate) use flaw::{Failure, Flaw};
pub(crate) use person::Asserted;

use crate::clock::{Clock, unix_seconds};
use crate::outbound::HttpClient;
use crate::social::{Endpoints, Granted, Kind, ProfileError, ProviderClient, SocialProvider};
use crate::telemetry::{Sentence, cause, log};
use crate::web_url::WebUrl;
use cached::Cached;
use flaw::Problem;
use id_token::{Expected, Nonce, Parties, Unverified};
use keys::Keys;
use metadata::Metadata;
use std::sync::Arc;
use std::time::Duration;

/// How long all requests of a callback take at most, in all.
const CALLBACK: Duration = Duration::from_secs(10);
/// How long metadata are fresh.
const METADATA_FRESH: Duration = Duration::from_secs(24 * 60 * 60);
/// How long keys are fresh.
const KEYS_FRESH: Duration = Duration::from_secs(60 * 60);

/// One provider, with what is known of it: its metadata and its keys. There is one for each provider of a module.
pub(crate) struct Remote {
    provider: SocialProvider,
    client: ProviderClient,
    clock: Arc<dyn Clock>,
    metadata: Cached<Metadata>,
    keys: Cached<Keys>,
}

/// What the browser is sent to the provider with.
pub(crate) struct Authorization<'a> {
    pub(crate) redirect_uri: &'a str,
    pub(crate) state: &'a str,
    pub(crate) nonce: &'a str,
    /// The secret of PKCE: 43 to 128 unreserved characters (RFC 7636 §4.1).
    pub(crate) verifier: &'a str,
    /// Whether the provider must ask the user again.
    pub(crate) fresh: bool,
}

/// What comes back, with what the flow had.
pub(crate) struct Grant<'a> {
    pub(crate) code: &'a str,
    pub(crate) redirect_uri: &'a str,
    pub(crate) verifier: &'a str,
    pub(crate) nonce: &'a str,
    /// When the provider was told to ask the user again, in seconds since 1970.
    pub(crate) fresh_since: Option<u64>,
}

/// Where the requests of a flow go, and how the program says there who it is.
struct Flow {
    authorize: String,
    token: String,
    metadata: Option<Arc<Metadata>>,
}

impl Remote {
    /// A provider of which nothing is known yet. It sends no request.
    pub(crate) fn new(provider: &SocialProvider, client: Arc<dyn HttpClient>, clock: Arc<dyn Clock>) -> Self {
        let hosts = provider.configured_urls().into_iter().filter_map(WebUrl::read);
        let hosts = hosts.map(|url| url.host.to_owned()).collect();
        Self {
            provider: provider.clone(),
            client: ProviderClient::new(client, hosts),
            clock,
            metadata: Cached::new(METADATA_FRESH),
            keys: Cached::new(KEYS_FRESH),
        }
    }

    /// The URL to which the browser is sent.
    ///
    /// # Errors
    /// [`Failure::NotAccepted`] if the metadata are not known and cannot be fetched.
    pub(crate) async fn authorization_url(&self, request: &Authorization<'_>) -> Result<String, Failure> {
        let made = async {
            let flow = self.flow(&self.client).await?;
            Ok(authorization::url(&self.provider, &flow.authorize, request))
        };
        made.await.map_err(|problem| self.failure(problem, Failure::NotAccepted))
    }

    /// Compares `iss` of the callback with the issuer (RFC 9207 §2.4). It must be there if the metadata say so. A provider without
    /// OpenID Connect has no issuer, and its `iss` is not looked at.
    ///
    /// # Errors
    /// [`Failure::NotAccepted`] if the metadata are not known and cannot be fetched, for then nobody knows whether it must be there;
    /// [`Flaw::IssuerParameter`].
    pub(crate) async fn check_issuer(&self, iss: Option<&str>) -> Result<(), Failure> {
        let Endpoints::Discovered(issuer) = self.provider.endpoints() else { return Ok(()) };
        let checked = async {
            let is_equal = match iss {
                Some(iss) => iss == issuer,
                None => !self.metadata(&self.client, issuer).await?.sends_issuer,
            };
            if is_equal { Ok(()) } else { Err(Problem::Refused(Flaw::IssuerParameter)) }
        };
        checked.await.map_err(|problem| self.failure(problem, Failure::NotAccepted))
    }

    /// Redeems a code: who has signed in.
    ///
    /// # Errors
    /// [`Failure::NotAccepted`] if the code was certainly not redeemed, so that it can be tried again; [`Failure::Unavailable`] if it may
    /// have been; [`Failure::Refused`].
    pub(crate) async fn redeem(&self, grant: &Grant<'_>) -> Result<Asserted, Failure> {
        let client = self.client.within(CALLBACK);
        let flow = self.flow(&client).await;
        let flow = flow.map_err(|problem| self.failure(problem, Failure::NotAccepted))?;
        let wants_post = flow.metadata.as_ref().is_some_and(|metadata| metadata.wants_post);
        let tokens = token_request::send(&self.provider, &client, &flow.token, wants_post, grant).await;
        let tokens = tokens.map_err(|refusal| match refusal {
            token_request::Refusal::NotAccepted => Failure::NotAccepted,
            token_request::Refusal::Other(problem) => self.failure(problem, Failure::Unavailable),
        })?;
        let person = match &flow.metadata {
            Some(metadata) => self.person_of_tokens(&client, metadata, &tokens, grant).await,
            None => self.person_of_profile(&client, &tokens.access_token).await,
        };
        person.map_err(|problem| self.failure(problem, Failure::Unavailable))
    }

    /// Verifies an ID token that an app presents: who has signed in.
    ///
    /// # Errors
    /// [`Failure::NotAccepted`] if the metadata or the keys cannot be fetched; [`Failure::Refused`].
    pub(crate) async fn verify_native(&self, id_token: &str, nonce: &str) -> Result<Asserted, Failure> {
        let verified = async {
            let Endpoints::Discovered(issuer) = self.provider.endpoints() else {
                return Err(Problem::Refused(Flaw::NotOffered));
            };
            if !self.provider.takes_id_tokens() {
                return Err(Problem::Refused(Flaw::NotOffered));
            }
            let client = self.client.within(CALLBACK);
            let token = Unverified::read(id_token)?;
            let expected = Expected {
                issuer,
                parties: Parties::Native(self.provider.audiences()),
                nonce: Nonce::OrItsHash(nonce),
                access_token: None,
                fresh_since: None,
            };
            token.is_meant(&expected)?;
            let metadata = self.metadata(&client, issuer).await?;
            self.verify_signature(&client, &metadata, &token).await?;
            let claims = token.verified(&expected, unix_seconds(self.clock.now()))?;
            person::of_claims(&self.provider, &claims, &claims)
        };
        verified.await.map_err(|problem| self.failure(problem, Failure::NotAccepted))
    }

    /// Who the tokens of an OpenID provider are about.
    async fn person_of_tokens(
        &self,
        client: &ProviderClient,
        metadata: &Metadata,
        tokens: &token_request::Tokens,
        grant: &Grant<'_>,
    ) -> Result<Asserted, Problem> {
        let id_token = tokens.id_token.as_deref().ok_or(Flaw::IdTokenMissing)?;
        let token = Unverified::read(id_token)?;
        let expected = Expected {
            issuer: self.provider.issuer(),
            parties: Parties::Web { client_id: self.provider.client_id(), own: self.provider.audiences() },
            nonce: Nonce::Equal(grant.nonce),
            access_token: Some(&tokens.access_token),
            fresh_since: grant.fresh_since,
        };
        token.is_meant(&expected)?;
        self.verify_signature(client, metadata, &token).await?;
        let claims = token.verified(&expected, unix_seconds(self.clock.now()))?;
        match (&metadata.userinfo_endpoint, person::has_address(&claims)) {
            (Some(endpoint), false) => {
                let answer =
                    user_info::ask(&self.provider, client, endpoint, &tokens.access_token, &claims).await?;
                person::of_claims(&self.provider, &claims, &answer)
            }
            _ => person::of_claims(&self.provider, &claims, &claims),
        }
    }

    /// Who has granted access at a provider without OpenID Connect.
    async fn person_of_profile(
        &self,
        client: &ProviderClient,
        access_token: &str,
    ) -> Result<Asserted, Problem> {
        let profile = match self.provider.kind() {
            Kind::GitHub { api, .. } => github::profile(&self.provider, client, api, access_token).await?,
            Kind::OAuth { profile, .. } => {
                // The requests end by themselves; the rest of the host's work ends here.
                let read = profile.profile(Granted::new(access_token), client);
                let read = tokio::time::timeout(client.left().unwrap_or(CALLBACK), read).await;
                let read = read.unwrap_or_else(|elapsed| Err(ProfileError::unavailable(elapsed)));
                read.map_err(|error| self.profile_problem(&error))?
            }
            Kind::OpenId { .. } => return Err(Flaw::NotOffered.into()),
        };
        person::of_profile(&self.provider, profile)
    }

    fn profile_problem(&self, error: &ProfileError) -> Problem {
        match error {
            ProfileError::Unavailable(_) => {
                log::provider_unavailable(Sentence(self.provider.name()), cause(error));
                Problem::Outage
            }
            ProfileError::Refused(_) => Flaw::Profile.into(),
        }
    }

    /// Where the requests of a flow go.
    async fn flow(&self, client: &ProviderClient) -> Result<Flow, Problem> {
        if !self.provider.has_web_flow() {
            return Err(Flaw::NotOffered.into());
        }
        match self.provider.endpoints() {
            Endpoints::Fixed { authorize, token } => Ok(Flow { authorize, token, metadata: None }),
            Endpoints::Discovered(issuer) => {
                let metadata = self.metadata(client, issuer).await?;
                let (authorize, token) =
                    (metadata.authorization_endpoint.clone(), metadata.token_endpoint.clone());
                Ok(Flow { authorize, token, metadata: Some(metadata) })
            }
        }
    }

    async fn metadata(&self, client: &ProviderClient, issuer: &str) -> Result<Arc<Metadata>, Problem> {
        let fetch = async {
            let url = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
            let body = requests::document(&self.provider, client, &url).await?;
            Metadata::read(&body, issuer).map_err(|what| self.unreadable(what))
        };
        self.metadata.get(&*self.clock, fetch).await
    }

    async fn fetch_keys(&self, client: &ProviderClient, metadata: &Metadata) -> Result<Keys, Problem> {
        let body = requests::document(&self.provider, client, &metadata.jwks_uri).await?;
        Keys::read(&body).ok_or_else(|| self.unreadable("keys"))
    }

    fn unreadable(&self, what: &'static str) -> Problem {
        log::provider_metadata_unreadable(Sentence(self.provider.name()), what);
        Problem::Outage
    }

    /// Whether one of the provider's keys has signed the token. It is one that is meant for this program already, so that not everybody
    /// can make the program fetch keys.
    async fn verify_signature(
        &self,
        client: &ProviderClient,
        metadata: &Metadata,
        token: &Unverified<'_>,
    ) -> Result<(), Problem> {
        if !metadata.algorithms.contains(&token.algorithm) {
            return Err(Flaw::Algorithm.into());
        }
        let mut keys = self.keys.get(&*self.clock, self.fetch_keys(client, metadata)).await?;
        if !keys.know_that_of(token) {
            let renewed = self.keys.renewed(&*self.clock, &keys, self.fetch_keys(client, metadata)).await?;
            keys = renewed.unwrap_or(keys);
        }
        keys.verify(token)?;
        Ok(())
    }

    /// What the caller learns of a problem. The log has the reason.
    fn failure(&self, problem: Problem, outage: Failure) -> Failure {
        match problem {
            Problem::Outage => outage,
            Problem::Refused(flaw) => {
                log::provider_refused(Sentence(self.provider.name()), flaw.name());
                Failure::Refused(flaw)
            }
        }
    }
}
