//! The endpoints of trusted devices.

use super::{FORGET, FORGET_ALL, LIST, TrustedDevicesService};
use crate::core::TrustedDeviceInfo;
use crate::error::AuthError;
use crate::feature::Feature;
use crate::http::{
    Caller, Client, CookieChanges, Ended, Message, PathTexts, Route, json_response, time_text,
};
use crate::languages::SuccessText;
use crate::module::FeatureService;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::sync::Arc;

type Service = State<Arc<TrustedDevicesService>>;

impl FeatureService for TrustedDevicesService {
    const FEATURE: Option<Feature> = Some(Feature::TrustedDevices);

    fn routes(self: &Arc<Self>) -> Vec<Route> {
        vec![
            LIST.handled_by(list, self),
            FORGET.handled_by(forget, self),
            FORGET_ALL.handled_by(forget_all, self),
        ]
    }
}

async fn list(State(service): Service, Caller(who): Caller) -> Result<Response, AuthError> {
    let devices = service.list(&who).await?;
    let body = Listed { devices: devices.iter().map(Item::from).collect() };
    Ok(json_response(StatusCode::OK, &body))
}

async fn forget(
    State(service): Service,
    Client(client): Client,
    Caller(who): Caller,
    PathTexts([id]): PathTexts<1>,
) -> Result<Response, AuthError> {
    service.forget(&who, &id, client).await?;
    let forgotten = Message::from(SuccessText::DeviceForgotten);
    Ok(match who.session.device_id() == Some(&*id) {
        true => (Extension(CookieChanges::forget_device()), forgotten).into_response(),
        false => forgotten.into_response(),
    })
}

async fn forget_all(
    State(service): Service,
    Client(client): Client,
    Caller(who): Caller,
) -> Result<Response, AuthError> {
    let ended = service.forget_all(&who, client).await?;
    let forgotten = Ended::new(SuccessText::DevicesForgotten, ended);
    Ok((Extension(CookieChanges::forget_device()), forgotten).into_response())
}

#[derive(Serialize)]
struct Listed<'a> {
    devices: Vec<Item<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    id: &'a str,
    current: bool,
    created_at: String,
    last_used_at: String,
    expires_at: String,
    client: Option<&'a str>,
    user_agent: Option<&'a str>,
}

impl<'a> From<&'a TrustedDeviceInfo> for Item<'a> {
    fn from(device: &'a TrustedDeviceInfo) -> Self {
        Self {
            id: &device.id,
            current: device.current,
            created_at: time_text(device.created_at),
            last_used_at: time_text(device.last_used_at),
            expires_at: time_text(device.expires_at),
            client: device.client.as_deref(),
            user_agent: device.user_agent.as_deref(),
        }
    }
}
