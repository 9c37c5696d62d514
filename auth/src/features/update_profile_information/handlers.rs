//! The endpoint of profile updates.

use super::{UPDATE, UPDATE_WITH_USERNAME, UpdateProfileInformationService};
use crate::actions::ProfileData;
use crate::error::{AuthError, FieldCollector, FieldErrors};
use crate::feature::Feature;
use crate::http::{Caller, Client, Fields, Message, Route};
use crate::languages::SuccessText;
use crate::module::FeatureService;
use crate::posture::Deviation;
use crate::user::UserRecord;
use crate::values::{EmailAddress, UserName};
use axum::extract::State;
use std::sync::Arc;

impl FeatureService for UpdateProfileInformationService {
    const FEATURE: Option<Feature> = Some(Feature::UpdateProfileInformation);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        let endpoint = if self.username_rules().field.is_present() { UPDATE_WITH_USERNAME } else { UPDATE };
        vec![endpoint.handled_by(update, self)]
    }

    fn deviations(&self) -> Vec<Deviation> {
        self.posture()
    }
}

async fn update(
    State(service): State<Arc<UpdateProfileInformationService>>,
    Caller(who): Caller,
    Client(client): Client,
    fields: Fields,
) -> Result<Message, AuthError> {
    let data = profile_data(fields, &service, who.user())?;
    service.update(&who, data, client).await?;
    Ok(SuccessText::ProfileUpdated.into())
}

fn profile_data(
    mut fields: Fields,
    service: &UpdateProfileInformationService,
    user: &dyn UserRecord,
) -> Result<ProfileData, FieldErrors> {
    let mut read = FieldCollector::default();
    let name = read.take(fields.string("name").and_then(|text| UserName::parse(&text)));
    let email = read.take(fields.string("email").and_then(|text| EmailAddress::parse(&text)));
    let username = read.take(fields.changed_username(service.username_rules(), user));
    let data = name.zip(email).zip(username).map(|((name, email), username)| {
        let mut data = ProfileData::new(name, email);
        data.username = username;
        data.extra = fields.extra(service.extra_fields(), service.username_rules());
        data
    });
    read.finish(data)
}
