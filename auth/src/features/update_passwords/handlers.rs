//! The endpoint of password updates.

use super::{REMOVE, UPDATE, UpdatePasswordsService};
use crate::actions::PasswordUpdateData;
use crate::error::{AuthError, FieldCollector, FieldErrors};
use crate::feature::Feature;
use crate::http::{Caller, Client, Fields, Route, Tokens};
use crate::languages::SuccessText;
use crate::module::FeatureService;
use axum::extract::State;
use std::sync::Arc;

impl FeatureService for UpdatePasswordsService {
    const FEATURE: Option<Feature> = Some(Feature::UpdatePasswords);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        vec![UPDATE.handled_by(update, self), REMOVE.handled_by(remove, self)]
    }
}

async fn remove(
    State(service): State<Arc<UpdatePasswordsService>>,
    Client(client): Client,
    Caller(who): Caller,
) -> Result<Tokens, AuthError> {
    let pair = service.remove(&who, client).await?;
    Ok(Tokens::Changed(SuccessText::PasswordRemoved, pair))
}

async fn update(
    State(service): State<Arc<UpdatePasswordsService>>,
    Client(client): Client,
    Caller(who): Caller,
    fields: Fields,
) -> Result<Tokens, AuthError> {
    let data = password_update(fields, who.user().has_password(), service.min_password_characters())?;
    let pair = service.update(&who, data, client).await?;
    Ok(Tokens::Changed(SuccessText::PasswordChanged, pair))
}

fn password_update(
    mut fields: Fields,
    has_password: bool,
    min_password_characters: usize,
) -> Result<PasswordUpdateData, FieldErrors> {
    let mut read = FieldCollector::default();
    let current = read.take(fields.current_password(has_password));
    let password = fields.new_password(min_password_characters, &mut read);
    read.finish(current.zip(password).map(|(current, password)| PasswordUpdateData::new(current, password)))
}
