//! The routes of the feature: none.

use super::UsernamesService;
use crate::feature::Feature;
use crate::http::Route;
use crate::module::FeatureService;
use std::sync::Arc;

impl FeatureService for UsernamesService {
    const FEATURE: Option<Feature> = Some(Feature::Usernames);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        Vec::new()
    }
}
