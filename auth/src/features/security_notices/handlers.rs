//! The endpoint of security notices.

use super::SECURE;
use super::service::SecurityNoticesService;
use crate::error::{AuthError, FieldCollector};
use crate::feature::Feature;
use crate::http::{Fields, Message, Route, Visit};
use crate::languages::SuccessText;
use crate::module::FeatureService;
use crate::posture::Deviation;
use axum::extract::State;
use std::sync::Arc;

impl FeatureService for SecurityNoticesService {
    const FEATURE: Option<Feature> = Some(Feature::SecurityNotices);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        vec![SECURE.handled_by(secure, self)]
    }

    fn deviations(&self) -> Vec<Deviation> {
        self.posture()
    }
}

async fn secure(
    State(service): State<Arc<SecurityNoticesService>>,
    Visit(visitor): Visit,
    mut fields: Fields,
) -> Result<Message, AuthError> {
    let mut read = FieldCollector::default();
    let token = read.take(fields.non_empty_string("token"));
    let token = read.finish(token)?;
    service.secure(&token, visitor.client).await?;
    Ok(SuccessText::AccountSecured.into())
}
