//! The pages. Each file begins with the page's address and has its template and its handlers.

pub(crate) mod confirmation;
pub(crate) mod delete_account;
pub(crate) mod email;
pub(crate) mod email_change;
pub(crate) mod email_verification;
pub(crate) mod home;
pub(crate) mod login;
pub(crate) mod mail_login;
pub(crate) mod members;
pub(crate) mod passkeys;
pub(crate) mod password;
pub(crate) mod password_reset;
pub(crate) mod profile;
pub(crate) mod provider_link;
pub(crate) mod provider_login;
pub(crate) mod provider_registration;
pub(crate) mod providers;
pub(crate) mod registration;
pub(crate) mod restore;
pub(crate) mod revert;
pub(crate) mod safe;
pub(crate) mod secure;
pub(crate) mod sessions;
pub(crate) mod two_factor;
pub(crate) mod two_factor_challenge;
