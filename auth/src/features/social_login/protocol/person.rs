//! Who has signed in, and what the provider's word about the address is worth.

use super::flaw::{Flaw, Problem};
use super::id_token::Claims;
use crate::social::{Kind, Profile, Rules, SocialProvider, Trust};
use crate::values::{EmailAddress, NAME_CHARACTERS};
use serde_json::Value;

/// The most bytes of an account's id (OpenID Connect Core §2).
const LONGEST_SUBJECT: usize = 255;

/// Whom a provider has signed in.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Asserted {
    /// The issuer: `github` for GitHub, and the token endpoint of a provider without OpenID Connect.
    pub(crate) issuer: String,
    /// The account at the issuer: 1 to 255 bytes without control characters.
    pub(crate) subject: String,
    /// An address as the provider has written it, valid and at most 254 bytes.
    pub(crate) email: Option<String>,
    /// What the provider's word about the address is worth; nothing without one.
    pub(crate) trust: Trust,
    /// 1 to 255 characters without control characters.
    pub(crate) name: Option<String>,
}

/// Whether the claims have an address, so that the UserInfo endpoint is not asked for one.
pub(super) fn has_address(claims: &Claims) -> bool {
    claims.get("email").is_some_and(Value::is_string)
}

/// Whom the claims of an ID token are about. The address comes from the second claims, which are those of the ID token or of UserInfo.
pub(super) fn of_claims(
    provider: &SocialProvider,
    claims: &Claims,
    address: &Claims,
) -> Result<Asserted, Problem> {
    let text = |claims: &Claims, name: &str| claims.get(name).and_then(Value::as_str).map(str::to_owned);
    let subject = text(claims, "sub").ok_or(Flaw::Subject)?;
    let email = text(address, "email");
    let trust = email.as_deref().map_or(Trust::None, |email| trust(provider, email, address));
    let name = text(claims, "name").or_else(|| text(address, "name"));
    asserted(provider, subject, email.map(|email| (email, trust)), name.as_deref())
}

/// Whom a profile is about.
pub(super) fn of_profile(provider: &SocialProvider, profile: Profile) -> Result<Asserted, Problem> {
    let most = provider.configured_trust().unwrap_or(Trust::Authoritative);
    let email = profile.email.map(|(email, trust)| (email, trust.min(most)));
    asserted(provider, profile.subject, email, profile.name.as_deref())
}

fn asserted(
    provider: &SocialProvider,
    subject: String,
    email: Option<(String, Trust)>,
    name: Option<&str>,
) -> Result<Asserted, Problem> {
    let is_subject =
        !subject.is_empty() && subject.len() <= LONGEST_SUBJECT && !subject.chars().any(char::is_control);
    if !is_subject {
        return Err(Flaw::Subject.into());
    }
    let (email, trust) = match email.filter(|(email, _)| is_address(email)) {
        Some((email, trust)) => (Some(email), trust),
        None => (None, Trust::None),
    };
    Ok(Asserted { issuer: provider.issuer().to_owned(), subject, email, trust, name: name.and_then(shown) })
}

/// What the word of an OpenID provider about this address is worth.
fn trust(provider: &SocialProvider, email: &str, claims: &Claims) -> Trust {
    let Kind::OpenId { rules, .. } = provider.kind() else { return Trust::None };
    let verified = claims.get("email_verified");
    let is_verified = match rules {
        Rules::Standard | Rules::Google => verified == Some(&Value::Bool(true)),
        Rules::Apple => verified.is_some_and(|verified| *verified == true || *verified == "true"),
        Rules::Microsoft => claims
            .get("xms_edov")
            .is_some_and(|word| *word == true || *word == 1 || *word == "1" || *word == "true"),
    };
    if !is_verified {
        return Trust::None;
    }
    let configured = provider.configured_trust();
    if *rules != Rules::Google {
        return configured.unwrap_or(Trust::Verified);
    }
    let is_of_gmail =
        email.rsplit_once('@').is_some_and(|(_, domain)| domain.eq_ignore_ascii_case("gmail.com"));
    let is_of_workspace =
        || claims.get("hd").and_then(Value::as_str).is_some_and(|domain| provider.hosts_domain(domain));
    let by_rule = if is_of_gmail || is_of_workspace() { Trust::Authoritative } else { Trust::Verified };
    by_rule.min(configured.unwrap_or(Trust::Authoritative))
}

/// Whether the text is a valid address as it is, without blanks around it.
fn is_address(text: &str) -> bool {
    EmailAddress::parse(text).is_ok_and(|address| address.as_str().len() == text.len())
}

/// The name, if it can be one: what is left of another one would not be what the provider has told.
fn shown(name: &str) -> Option<String> {
    let is_name = !name.trim().is_empty()
        && name.chars().count() <= NAME_CHARACTERS
        && !name.chars().any(char::is_control);
    is_name.then(|| name.to_owned())
}
