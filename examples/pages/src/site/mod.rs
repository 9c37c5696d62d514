//! What all pages share.

mod error_pages;
mod form;
mod form_errors;
mod headers;
mod layout;
mod mail_token;
mod newcomer;
mod next;
mod notice;
mod passkey_button;
mod providers;
mod time;

pub(crate) use error_pages::error_pages;
pub(crate) use form::{Field, PostForm};
pub(crate) use form_errors::FormErrors;
pub(crate) use headers::{policy, security_headers, style};
pub(crate) use layout::Page;
pub(crate) use mail_token::MailToken;
pub(crate) use newcomer::{NewcomerEntered, or_none};
pub(crate) use next::Next;
pub(crate) use notice::Notice;
pub(crate) use passkey_button::{MODULE, PasskeyButton, script};
pub(crate) use providers::{ProviderButtons, ProviderError, ProviderNames, provider_title};
pub(crate) use time::time;
