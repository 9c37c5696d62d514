//! The environment variables: one table, read once.

use super::{AuthConfig, AuthConfigBuilder};
use crate::config::{ConfigError, ConfigProblem};
use ipnet::IpNet;
use std::net::IpAddr;
use std::time::Duration;

/// What a variable's text does to the builder, or what is wrong with the text.
type Apply = fn(AuthConfigBuilder, &str) -> Result<AuthConfigBuilder, String>;

/// An optional variable.
struct Variable {
    name: &'static str,
    /// The option that it sets, as [`AuthConfigBuilder::build`] names it in its problems.
    option: &'static str,
    meaning: &'static str,
    apply: Apply,
}

/// The required variables, in the order of [`AuthConfig::builder`]'s parameters.
const SECRETS: [(&str, &str, &str); 3] = [
    ("AUTH_JWT_SECRET", "jwt_secret", "signs access tokens; 32 bytes at least; required"),
    (
        "AUTH_REFRESH_SECRET",
        "refresh_secret",
        "signs refresh tokens; 32 bytes at least, another value; required",
    ),
    ("AUTH_ENCRYPTION_KEY", "encryption_key", "encrypts two-factor data; 32 bytes in base64; required"),
];

const OPTIONAL: [Variable; 13] = [
    Variable {
        name: "AUTH_APP_NAME",
        option: "app_name",
        meaning: "the application's name; default `auth`",
        apply: |builder, text| Ok(builder.app_name(text)),
    },
    Variable {
        name: "AUTH_ISSUER",
        option: "issuer",
        meaning: "`iss` of tokens; default none",
        apply: |builder, text| Ok(builder.issuer(text)),
    },
    Variable {
        name: "AUTH_AUDIENCE",
        option: "audience",
        meaning: "`aud` of tokens; default none",
        apply: |builder, text| Ok(builder.audience(text)),
    },
    Variable {
        name: "AUTH_ACCESS_TOKEN_SECONDS",
        option: "access_token_lifetime",
        meaning: "life of an access token in seconds; default 900",
        apply: |builder, text| Ok(builder.access_token_lifetime(seconds(text)?)),
    },
    Variable {
        name: "AUTH_REFRESH_TOKEN_SECONDS",
        option: "refresh_token_lifetime",
        meaning: "life of a refresh token in seconds; default 604800 (7 days)",
        apply: |builder, text| Ok(builder.refresh_token_lifetime(seconds(text)?)),
    },
    Variable {
        name: "AUTH_SESSION_SECONDS",
        option: "session_lifetime",
        meaning: "life of a session since its login in seconds; default 2592000 (30 days)",
        apply: |builder, text| Ok(builder.session_lifetime(seconds(text)?)),
    },
    Variable {
        name: "AUTH_PREVIOUS_ENCRYPTION_KEYS",
        option: "previous_encryption_keys",
        meaning: "comma-separated encryption keys of before, which still decrypt; default none",
        apply: |builder, text| Ok(builder.previous_encryption_keys(text.split(',').map(str::trim))),
    },
    Variable {
        name: "AUTH_RESET_TOKEN_SECONDS",
        option: "reset_token_lifetime",
        meaning: "life of a reset token in seconds; default 3600",
        apply: |builder, text| Ok(builder.reset_token_lifetime(seconds(text)?)),
    },
    Variable {
        name: "AUTH_VERIFICATION_LINK_SECONDS",
        option: "verification_link_lifetime",
        meaning: "life of a verification link in seconds; default 3600",
        apply: |builder, text| Ok(builder.verification_link_lifetime(seconds(text)?)),
    },
    Variable {
        name: "AUTH_PASSWORD_TIMEOUT_SECONDS",
        option: "password_timeout",
        meaning: "how long a password counts as recently confirmed, in seconds; default 900",
        apply: |builder, text| Ok(builder.password_timeout(seconds(text)?)),
    },
    Variable {
        name: "AUTH_PASSWORD_MIN_CHARACTERS",
        option: "password_min_characters",
        meaning: "least length of a new password, 8 to 64; default 8",
        apply: |builder, text| Ok(builder.password_min_characters(number(text)?)),
    },
    Variable {
        name: "AUTH_BCRYPT_COST",
        option: "bcrypt_cost",
        meaning: "cost of password hashes, 10 to 16; default 12",
        apply: |builder, text| Ok(builder.bcrypt_cost(number(text)?)),
    },
    Variable {
        name: "AUTH_TRUSTED_PROXIES",
        option: "trusted_proxies",
        meaning: "comma-separated addresses and networks whose X-Forwarded-For is believed; default none",
        apply: |builder, text| Ok(builder.trusted_proxies(networks(text)?)),
    },
];

/// Every variable with its meaning.
pub(super) fn variables() -> impl Iterator<Item = (&'static str, &'static str)> {
    let secrets = SECRETS.iter().map(|(name, _, meaning)| (*name, *meaning));
    secrets.chain(OPTIONAL.iter().map(|variable| (variable.name, variable.meaning)))
}

/// The configuration that the variables say. A secret that is not set is left empty, which the builder reports with
/// whatever else is wrong; a text that cannot be read is reported with that, too.
pub(super) fn read(variable: impl Fn(&str) -> Option<String>) -> Result<AuthConfig, ConfigError> {
    let value = |name: &str| variable(name).filter(|text| !text.is_empty());
    let [jwt, refresh, encryption] = SECRETS.map(|(name, ..)| value(name).unwrap_or_default());
    let mut builder = AuthConfig::builder(jwt, refresh, encryption);
    let mut unreadable = Vec::new();
    for Variable { name, apply, .. } in &OPTIONAL {
        let Some(text) = value(name) else { continue };
        match apply(builder.clone(), text.trim()) {
            Ok(applied) => builder = applied,
            Err(message) => unreadable.push(ConfigProblem { option: (*name).into(), message }),
        }
    }
    let built = builder.build().map_err(in_terms_of_variables);
    let invalid = built.as_ref().err().map(ConfigError::problems).unwrap_or_default();
    ConfigError::check([invalid, &unreadable].concat())?;
    built
}

/// The builder's problems under the names that the person knows who set the variables.
fn in_terms_of_variables(error: ConfigError) -> ConfigError {
    let names = || {
        let secrets = SECRETS.iter().map(|(name, option, _)| (*option, *name));
        secrets.chain(OPTIONAL.iter().map(|variable| (variable.option, variable.name)))
    };
    error.renamed(
        |option| names().find(|(known, _)| *known == option).map(|(_, name)| name),
        |message| names().fold(message, |text, (option, name)| text.replace(option, name)),
    )
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "expected a whole number".to_owned())
}

fn seconds(text: &str) -> Result<Duration, String> {
    Ok(Duration::from_secs(
        number::<u32>(text).map_err(|_| "expected a whole number of seconds".to_owned())?.into(),
    ))
}

fn networks(text: &str) -> Result<Vec<IpNet>, String> {
    let entry = |entry: &str| entry.parse().or_else(|_| entry.parse::<IpAddr>().map(IpNet::from));
    let entries = text.split(',').map(str::trim).filter(|text| !text.is_empty());
    let networks: Result<_, std::net::AddrParseError> = entries.map(entry).collect();
    networks.map_err(|_| "expected addresses or networks, as in `10.0.0.0/8, 192.0.2.7`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    const GOOD: [(&str, &str); 3] = [
        ("AUTH_JWT_SECRET", "a secret of thirty-two bytes or so"),
        ("AUTH_REFRESH_SECRET", "another one of thirty-two bytes.."),
        ("AUTH_ENCRYPTION_KEY", "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="),
    ];

    fn config(changes: &[(&str, &str)]) -> Result<AuthConfig, ConfigError> {
        let variables: HashMap<_, _> = GOOD.iter().chain(changes).copied().collect();
        AuthConfig::from_variables(|name| variables.get(name).map(|value| (*value).to_owned()))
    }

    fn options(changes: &[(&str, &str)]) -> Vec<String> {
        let error = config(changes).expect_err("a problem");
        error.problems().iter().map(|problem| problem.option.clone().into_owned()).collect()
    }

    #[test]
    fn the_three_secrets_are_enough_and_every_option_is_read() {
        assert_eq!(config(&[]).unwrap().bcrypt_cost, 12);
        let config = config(&[
            ("AUTH_BCRYPT_COST", "10"),
            ("AUTH_TRUSTED_PROXIES", "10.0.0.0/8, 192.0.2.7,2001:db8::/32"),
            ("AUTH_ACCESS_TOKEN_SECONDS", "60"),
            ("AUTH_ISSUER", "me"),
        ]);
        let config = config.unwrap();
        assert_eq!((config.bcrypt_cost, config.trusted_proxies.len()), (10, 3));
        assert_eq!(config.access_token_lifetime, Duration::from_secs(60));
        assert_eq!(config.issuer.as_deref(), Some("me"));
    }

    #[test]
    fn every_problem_is_reported_at_once_under_its_variable() {
        let all = options(&[
            ("AUTH_JWT_SECRET", "short"),
            ("AUTH_REFRESH_SECRET", "short"),
            ("AUTH_ENCRYPTION_KEY", "bm90IDMyIGJ5dGVz"),
            ("AUTH_BCRYPT_COST", "9"),
            ("AUTH_TRUSTED_PROXIES", "localhost"),
            ("AUTH_PASSWORD_MIN_CHARACTERS", "many"),
        ]);
        let expected = [
            "AUTH_JWT_SECRET",
            "AUTH_REFRESH_SECRET",
            "AUTH_REFRESH_SECRET",
            "AUTH_ENCRYPTION_KEY",
            "AUTH_BCRYPT_COST",
            "AUTH_PASSWORD_MIN_CHARACTERS",
            "AUTH_TRUSTED_PROXIES",
        ];
        assert_eq!(all, expected);
    }

    #[test]
    fn the_encryption_key_is_strict_base64_of_32_bytes() {
        for bad in [
            "",
            "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE",
            "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDF=",
            " MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
            "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEy",
        ] {
            assert_eq!(options(&[("AUTH_ENCRYPTION_KEY", bad)]), ["AUTH_ENCRYPTION_KEY"], "{bad}");
        }
    }

    #[test]
    fn a_problem_never_holds_the_value() {
        let error = config(&[("AUTH_JWT_SECRET", "hunter2"), ("AUTH_BCRYPT_COST", "hunter2")]).unwrap_err();
        assert!(!format!("{error}{error:?}").contains("hunter2"));
        assert!(error.to_string().contains("\n  AUTH_JWT_SECRET: expected 32 bytes at least"));
    }

    #[test]
    fn lives_that_contradict_each_other_are_refused_in_terms_of_variables() {
        let error = config(&[("AUTH_REFRESH_TOKEN_SECONDS", "60")]).unwrap_err();
        assert!(error.to_string().contains("AUTH_ACCESS_TOKEN_SECONDS"));
        assert!(error.to_string().contains("(AUTH_REFRESH_TOKEN_SECONDS)"));
    }
}
