//! Messages in the user's language: [`Messages`], and the [`TextKey`]s that a language has.
//!
//! Without `messages:` every text is in English. With it, each response is in the language that its request wants most
//! (`Accept-Language`, RFC 9110 §12.5.4), and says so in `Content-Language`:
//!
//! ```
//! # use axum_auth_module::{AuthModule, AuthModuleBuilder, AuthUser};
//! use axum_auth_module::languages::Messages;
//!
//! # fn with_languages<U: AuthUser>(builder: AuthModuleBuilder<U>) -> AuthModuleBuilder<U> {
//! builder.messages(Messages::english().and(Messages::german()))
//! # }
//! ```
//!
//! In the language are the `detail` of errors and of their fields, the `message` of successful responses, and the mails that the
//! request causes. Programs continue to rely on `code`, `field` and the status, which no language changes.
//!
//! English and German are the library's. [`Messages::language`] adds one of the host's own, or other words for single texts.

mod german;
mod language;
mod mail_text;
mod messages;
mod ranges;
mod success_text;
mod tag;
mod text;
mod translated;

pub use language::Language;
pub use mail_text::MailText;
pub use messages::{Messages, MissingText};
pub use success_text::SuccessText;
pub use tag::InvalidLanguage;
pub use text::TextKey;
