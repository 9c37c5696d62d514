//! SECURITY_NOTICES: the owner of an account is told what has happened to it, and can lock it down with one link.
//!
//! **Needs** a delivery.
//!
//! A thief who is in an account does nothing that its owner does not hear of, and the link in the notice takes away what the thief has
//! left there. Notices go to verified addresses only, because nobody has proven the others.

mod entries;
mod handlers;
mod hooks;
mod service;
mod sign_ins;

pub use service::SecurityNoticesService;
#[cfg(feature = "command")]
pub(super) use service::of_settings;

use crate::config::Limit;
use crate::delivery::{Delivers, SecurityNoticeMessage};
use crate::endpoint::{Consequence, Endpoint, EndpointBody, EndpointField, EndpointFieldKind};
use crate::erase::erase;
use crate::error::ErrorCode;
use crate::feature::Feature;
use crate::module::{AuthModuleBuilder, Pending};
use crate::user::AuthUser;
use crate::watch::Watch;
use hooks::Notices;
use std::sync::Arc;
use std::time::Duration;

/// For how long the link in a notice works.
const LIFETIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);

const SECURE: Endpoint = Endpoint::post("/account/secure", "secureAccount")
    .of(Feature::SecurityNotices)
    .summary("Locks the account down of which a notice has told its owner, with the token of the notice.")
    .takes(EndpointBody::Required(&[EndpointField::required("token", EndpointFieldKind::NonEmptyText)]))
    .limits(&[Limit::MailTokens])
    .leads_to(Consequence::LockDown)
    .refuses(&[ErrorCode::InvalidMailToken, ErrorCode::ExpiredMailToken]);

impl<U: AuthUser> AuthModuleBuilder<U> {
    /// SECURITY_NOTICES: `POST /account/secure`.
    pub fn security_notices<D: Delivers<SecurityNoticeMessage>>(self, delivery: D) -> Self {
        let delivery = erase::<dyn Delivers<SecurityNoticeMessage>, _>(delivery, |delivery| delivery);
        self.mount(pending(Arc::new(Watch::over(delivery))))
    }
}

fn pending(delivery: Arc<dyn Delivers<SecurityNoticeMessage>>) -> Pending {
    Pending::new(SecurityNoticesService::new).with_hooks(Notices { delivery })
}
