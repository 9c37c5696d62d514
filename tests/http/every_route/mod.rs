//! What concerns more than one feature.

mod broken_methods;
mod broken_providers;
mod browser_responses;
mod canaries;
mod declarations;
mod events;
mod extractors;
mod faults;
pub(crate) mod features_off;
mod frozen_databases;
mod instances;
mod languages;
mod limits;
mod lockouts;
mod openapi;
mod policy;
mod posture;
mod redis;
mod reference;
mod requests;
mod secrets_stay_secret;
mod services;
mod shared_stores;
mod step_up;
mod telemetry;
mod tokens;
mod two_clocks;
