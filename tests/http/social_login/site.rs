//! A host that offers providers, and the providers.

use super::host;
use super::outcome::Outcome;
use super::visitor::Visitor;
use crate::every_route::policy;
use crate::support::places::Place;
use crate::support::provider::{Auth, Internet, Person, Provider};
use crate::support::{Account, App, EMAIL, Tokens};
use axum_auth_module::AuthUser;
use axum_auth_module::actions::CreatesPasswordlessUsers;
use axum_auth_module::config::{RateLimit, RateLimits, SameSite};
use axum_auth_module::feature::{Feature, FeatureSet};
use axum_auth_module::http::HttpClient;
use axum_auth_module::languages::Messages;
use axum_auth_module::repository::{IdentityRecord, IdentityRepository, MemorySessions};
use axum_auth_module::testing::{Faults, MemoryIdentities};
use std::sync::Arc;

/// How much the host believes what a provider says about addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    None,
    Verified,
    Authoritative,
}

/// With which constructor the host names a provider.
#[derive(Clone, Debug)]
pub(super) enum Preset {
    OpenId,
    Google(Vec<&'static str>),
    GitHub,
    Microsoft(&'static str),
    AppleNative,
    OAuth2,
}

/// A provider, as the host has configured it.
#[derive(Clone)]
pub(super) struct Offer {
    pub(super) name: &'static str,
    pub(super) preset: Preset,
    pub(super) provider: Provider,
    /// `None`: the default.
    pub(super) trust: Option<Word>,
    pub(super) links_by_email: bool,
    pub(super) audiences: Vec<String>,
    pub(super) redirects: Vec<String>,
    /// `None`: as the metadata says.
    pub(super) auth: Option<Auth>,
}

/// Where the provider sends browsers back to.
pub(super) fn callback(name: &str) -> String {
    format!("https://shop.example.com/web/auth/oauth/{name}/callback")
}

impl Offer {
    /// A provider `acme` at `https://acme.example`.
    pub(super) fn openid(name: &'static str, net: &Internet) -> Self {
        Self::of(name, Preset::OpenId, net.openid(&format!("https://{name}.example")))
    }

    pub(super) fn of(name: &'static str, preset: Preset, provider: Provider) -> Self {
        let redirects = vec![callback(name)];
        Self {
            name,
            preset,
            provider,
            trust: None,
            links_by_email: false,
            audiences: vec![],
            redirects,
            auth: None,
        }
    }
}

/// Makes what reaches the providers.
pub(super) type MakeClient = fn(&Internet) -> Arc<dyn HttpClient>;

/// What else the host has configured.
pub(super) struct Rules {
    pub(super) same_site: SameSite,
    pub(super) is_insecure: bool,
    pub(super) resets_remove_identities: bool,
    pub(super) has_default_pages: bool,
    pub(super) speaks_german: bool,
    pub(super) policy: policy::Rules,
    /// What creates the accounts of newcomers. `None`: the standard action.
    pub(super) action: Option<Arc<dyn CreatesPasswordlessUsers<Account>>>,
    /// How the providers are reached. `None`: without sockets.
    pub(super) client: Option<MakeClient>,
    pub(super) limits: RateLimits,
    pub(super) off: Vec<Feature>,
    pub(super) faults: Faults,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            same_site: SameSite::Lax,
            is_insecure: false,
            resets_remove_identities: false,
            has_default_pages: false,
            speaks_german: false,
            policy: policy::Rules::default(),
            action: None,
            client: None,
            limits: RateLimits::all(RateLimit::per_seconds(100_000, 60)),
            off: Vec::new(),
            faults: Faults::new(),
        }
    }
}

/// A running host with its providers.
#[derive(Clone)]
pub(super) struct Site {
    pub(super) app: Arc<App>,
    pub(super) net: Internet,
    pub(super) identities: MemoryIdentities,
    offers: Arc<Vec<Offer>>,
}

/// A host with the providers `acme` and `other`.
pub(super) async fn site() -> Site {
    Site::with(|_| {}, Rules::default()).await
}

/// The same without PASSWORDLESS_REGISTRATION.
pub(super) async fn closed_site() -> Site {
    let rules = Rules { off: vec![Feature::PASSWORDLESS_REGISTRATION], ..Rules::default() };
    Site::with(|_| {}, rules).await
}

/// A host that believes `acme` as much as this.
pub(super) async fn trusting(word: Word, links_by_email: bool) -> Site {
    let offer = |offers: &mut Vec<Offer>| {
        offers[0].trust = Some(word);
        offers[0].links_by_email = links_by_email;
    };
    Site::with(offer, Rules::default()).await
}

impl Site {
    /// A host with the providers `acme` and `other`, which `change` changes.
    pub(super) async fn with(change: impl FnOnce(&mut Vec<Offer>), rules: Rules) -> Self {
        Self::planned(
            |net| {
                let mut offers = vec![Offer::openid("acme", net), Offer::openid("other", net)];
                change(&mut offers);
                offers
            },
            rules,
        )
        .await
    }

    /// A host with these providers.
    pub(super) async fn planned(offers: impl FnOnce(&Internet) -> Vec<Offer>, rules: Rules) -> Self {
        let place = Place::memory();
        let net = Internet::new(&place.clock);
        let (offers, identities) = (offers(&net), MemoryIdentities::new());
        let enabled = FeatureSet::all().difference(rules.off.iter().copied().collect());
        let app = place.start_as(
            &place.clock,
            |config| host::configured(config.limits(rules.limits), &rules),
            |module| {
                let faults = &rules.faults;
                let module = module.sessions(faults.over(MemorySessions::new()));
                let identities = faults.over(identities.clone());
                let client: Arc<dyn HttpClient> = match rules.client {
                    Some(client) => client(&net),
                    None => Arc::new(net.clone()),
                };
                let module = host::with_providers(module, &offers, faults.over(client), identities);
                let module = module.policy(rules.policy.clone());
                let module = match rules.action.clone() {
                    Some(action) => module.passwordless_registration(action),
                    None => module,
                };
                let module = match rules.speaks_german {
                    true => module.messages(Messages::english().and(Messages::german())),
                    false => module,
                };
                module.enabled(enabled).unwrap()
            },
        );
        let app = Arc::new(app.await);
        Self { app, net, identities, offers: Arc::new(offers) }
    }

    pub(super) fn provider(&self, name: &str) -> &Provider {
        &self.offers.iter().find(|offer| offer.name == name).expect("a provider of this name").provider
    }

    /// A browser or a program that has never been here.
    pub(super) fn visitor(&self) -> Visitor {
        Visitor::new(&self.app)
    }

    /// Somebody signs in with a provider, in a browser or a program of their own.
    pub(super) async fn sign_in(&self, name: &str, person: &Person) -> Outcome {
        self.visitor().sign_in(self, name, person).await
    }

    /// A user with a password and a verified address, in a session that has confirmed the password.
    pub(super) async fn user(&self, email: &str) -> Tokens {
        let tokens = self.app.confirmed_session(email).await;
        self.app.verify_address(email);
        tokens
    }

    /// Such a user who has linked this person of `acme`.
    pub(super) async fn linked_user(&self, email: &str, person: &Person) -> Tokens {
        let tokens = self.user(email).await;
        self.visitor().with(&tokens).link(self, "acme", person).await.linked(201);
        tokens
    }

    /// The account with this address.
    #[track_caller]
    pub(super) fn account(&self, email: &str) -> Account {
        self.app.users.by_email(email).expect("an account")
    }

    /// The identity of a subject of a provider, as it is stored.
    pub(super) async fn identity(&self, name: &str, subject: &str) -> Option<IdentityRecord> {
        let subject = format!("{} {subject}", Account::realm());
        self.identities.find_by_subject(self.provider(name).issuer(), &subject).await.unwrap()
    }

    /// No provider has complained, and nothing was sent to anybody else.
    #[track_caller]
    pub(super) fn is_in_order(&self) {
        for offer in self.offers.iter() {
            assert_eq!(offer.provider.complaints(), [""; 0], "{}", offer.name);
        }
        assert_eq!(self.net.unknown(), [""; 0]);
    }
}

/// Ada at a provider, with the address of her account and without a name.
pub(super) fn ada() -> Person {
    Person::new("ada-at-acme", EMAIL)
}

/// Makes each of these functions a test on the browser router.
macro_rules! in_browsers {
    ($($test:ident),+ $(,)?) => {$(
        mod $test {
            use crate::support::routers;
            use axum_auth_module::endpoint::RouterKind;

            #[tokio::test]
            async fn browser() {
                routers::on(RouterKind::Browser, super::$test()).await;
            }
        }
    )+};
}
pub(super) use in_browsers;
