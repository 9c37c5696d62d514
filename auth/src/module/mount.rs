//! How features register with the module. Nothing here names a feature.

use crate::config::ConfigProblem;
use crate::core::{Core, Hooks};
use crate::feature::Feature;
use crate::http::{Document, Route};
use crate::posture::Deviation;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

/// The service of a feature, and the routes that call it.
pub(crate) trait FeatureService: Send + Sync + Sized + 'static {
    /// The feature that enables the service. `None`: it is always enabled.
    const FEATURE: Option<Feature>;

    /// The feature's endpoints with their handlers.
    fn routes(self: &Arc<Self>) -> Vec<Route>;

    /// How the feature, as the host has configured it, deviates from ASVS.
    fn deviations(&self) -> Vec<Deviation> {
        Vec::new()
    }

    /// The documents below `/.well-known/` of the host's root.
    fn documents(&self) -> Vec<Document> {
        Vec::new()
    }
}

/// A feature that has not started yet.
pub(crate) struct Pending {
    service: TypeId,
    feature: Option<Feature>,
    hooks: Vec<Arc<dyn Hooks>>,
    has_browsers: bool,
    /// What is wrong with what the host has given.
    problems: Vec<ConfigProblem>,
    start: Box<dyn FnOnce(&Core) -> Started + Send>,
}

impl Pending {
    /// The feature of the service that `make` returns. Call this in a function that is not generic over the host's
    /// types: it is then compiled with the library, and not again with each host.
    pub(crate) fn new<S: FeatureService>(make: impl FnOnce(&Core) -> S + Send + 'static) -> Self {
        let start = Box::new(move |core: &Core| {
            let service = Arc::new(make(core));
            Started {
                routes: service.routes(),
                deviations: service.deviations(),
                documents: service.documents(),
                service,
            }
        });
        Self {
            service: TypeId::of::<S>(),
            feature: S::FEATURE,
            hooks: Vec::new(),
            has_browsers: false,
            problems: Vec::new(),
            start,
        }
    }

    /// Adds hooks, for a feature that takes part in moments that are not its own.
    pub(crate) fn with_hooks(mut self, hooks: impl Hooks) -> Self {
        self.hooks.push(Arc::new(hooks));
        self
    }

    /// Says what is wrong with what the host has given to the feature.
    #[cfg_attr(
        not(any(feature = "passkeys", feature = "service-tokens")),
        allow(dead_code, reason = "these features alone use it")
    )]
    pub(crate) fn with_problems(self, problems: Vec<ConfigProblem>) -> Self {
        Self { problems, ..self }
    }

    /// Marks the feature with which browsers can keep sessions in cookies.
    pub(crate) fn with_browsers(self) -> Self {
        Self { has_browsers: true, ..self }
    }
}

/// A service that runs.
struct Started {
    routes: Vec<Route>,
    deviations: Vec<Deviation>,
    documents: Vec<Document>,
    service: Arc<dyn Any + Send + Sync>,
}

/// The features that were added to a builder, in the order of their addition.
#[derive(Default)]
pub(super) struct Mounted(Vec<Pending>);

impl Mounted {
    /// Adds a feature. If its service was added before, the later one replaces it.
    pub(super) fn add(&mut self, pending: Pending) {
        self.0.retain(|earlier| earlier.service != pending.service);
        self.0.push(pending);
    }

    /// The features, without what is always enabled.
    pub(super) fn features(&self) -> impl Iterator<Item = Feature> {
        self.0.iter().filter_map(|pending| pending.feature)
    }

    /// What is wrong with what the host has given to the features.
    pub(super) fn problems(&self) -> impl Iterator<Item = &ConfigProblem> {
        self.0.iter().flat_map(|pending| &pending.problems)
    }

    /// Removes the features of which this is not true.
    pub(super) fn retain(&mut self, keep: impl Fn(Feature) -> bool) {
        self.0.retain(|pending| pending.feature.is_none_or(&keep));
    }

    /// What the features do at moments that are not their own.
    pub(super) fn hooks(&self) -> Vec<Arc<dyn Hooks>> {
        self.0.iter().flat_map(|pending| pending.hooks.iter().cloned()).collect()
    }

    /// Whether browsers can keep sessions in cookies.
    pub(super) fn has_browsers(&self) -> bool {
        self.0.iter().any(|pending| pending.has_browsers)
    }

    /// Starts the services.
    pub(super) fn start(self, core: &Core) -> Running {
        let mut running = Running::default();
        for Pending { service, start, .. } in self.0 {
            let started = start(core);
            let is_there = |route: &Route| !route.endpoint.with_other_ways_in || core.has_other_ways_in();
            running.routes.extend(started.routes.into_iter().filter(is_there));
            running.deviations.extend(started.deviations);
            running.documents.extend(started.documents);
            running.services.0.insert(service, started.service);
        }
        running
    }
}

/// What the features of a module are when they run.
#[derive(Default)]
pub(super) struct Running {
    pub(super) services: Services,
    pub(super) routes: Vec<Route>,
    pub(super) deviations: Vec<Deviation>,
    pub(super) documents: Vec<Document>,
}

/// The services of a module, by their type.
#[derive(Default)]
pub(super) struct Services(HashMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl Services {
    pub(super) fn of<S: 'static>(&self) -> Option<&S> {
        self.0.get(&TypeId::of::<S>())?.downcast_ref()
    }
}
