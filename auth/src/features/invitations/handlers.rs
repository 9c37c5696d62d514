//! The endpoint of invitations.

use super::ACCEPT;
use super::service::InvitationsService;
use crate::error::{AuthError, FieldCollector};
use crate::feature::Feature;
use crate::http::{Client, Fields, Message, Route};
use crate::languages::SuccessText;
use crate::module::FeatureService;
use axum::extract::State;
use std::sync::Arc;

impl FeatureService for InvitationsService {
    const FEATURE: Option<Feature> = Some(Feature::Invitations);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        vec![ACCEPT.handled_by(accept, self)]
    }
}

async fn accept(
    State(service): State<Arc<InvitationsService>>,
    Client(client): Client,
    mut fields: Fields,
) -> Result<Message, AuthError> {
    let mut read = FieldCollector::default();
    let token = read.take(fields.non_empty_string("token"));
    let password = fields.new_password(service.min_password_characters(), &mut read);
    let (token, password) = read.finish(token.zip(password))?;
    service.accept(&token, &password, client).await?;
    Ok(SuccessText::InvitationAccepted.into())
}
