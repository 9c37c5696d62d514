//! Configurations from variables, and from the files that variables name.

use super::*;
use crate::config::{EmailLoginProof, PasswordHash, RelyingParty, of_features};
use crate::crypto::keys::Secret;
use std::collections::HashMap;
use std::time::Duration;

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
fn only_the_three_secrets_are_required_and_options_are_read() {
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

/// Whether a configuration has what a variable says.
type Check = fn(&AuthConfig) -> bool;

/// The variables of features with a value that is not the default, and whether any other text is refused.
const OF_FEATURES: [(&str, &str, Check, bool); 18] = [
    ("AUTH_EMAIL_LOGIN_DIGITS", "6", |config| config.email_login.digits == 6, true),
    ("AUTH_EMAIL_LOGIN_SECONDS", "60", |config| config.email_login.lifetime.as_secs() == 60, true),
    ("AUTH_EMAIL_LOGIN_PROOF", "code", |config| config.email_login.proof == EmailLoginProof::Code, true),
    ("AUTH_PASSKEY_RP_ID", "www.example.com", |config| site(config).id() == "www.example.com", true),
    ("AUTH_PASSKEY_RP_NAME", "Shop", |config| site(config).name() == "Shop", false),
    ("AUTH_PASSKEY_ORIGINS", "https://a.example.com", |config| has(config, "https://a.example.com"), true),
    (
        "AUTH_PASSKEY_RELATED_ORIGINS",
        "https://example.org",
        |config| has(config, "https://example.org"),
        true,
    ),
    (
        "AUTH_PASSKEY_USER_VERIFICATION",
        "preferred",
        |config| !config.passkeys.user_verification.is_required(),
        true,
    ),
    ("AUTH_PASSKEYS_PER_USER", "3", |config| config.passkeys.max_per_user == 3, true),
    (
        "AUTH_RESET_REMOVES",
        "passkeys, identities",
        |config| config.reset_removes.passkeys && config.reset_removes.identities,
        true,
    ),
    ("AUTH_EMAIL_CHANGE_SECONDS", "600", |config| config.email_change.lifetime.as_secs() == 600, true),
    ("AUTH_EMAIL_REVERT_SECONDS", "0", |config| config.email_change.revert_lifetime.is_zero(), true),
    ("AUTH_DELETION_GRACE_SECONDS", "0", |config| config.deletion.grace.is_zero(), true),
    ("AUTH_API_TOKEN_SECONDS", "60", |config| config.api_tokens.lifetime.as_secs() == 60, true),
    ("AUTH_API_TOKEN_PREFIX", "acme", |config| config.api_tokens.prefix == "acme", true),
    (
        "AUTH_TRUSTED_DEVICE_SECONDS",
        "86400",
        |config| config.trusted_devices.lifetime.as_secs() == 86400,
        true,
    ),
    ("AUTH_INVITATION_SECONDS", "3600", |config| config.invitations.lifetime.as_secs() == 3600, true),
    ("AUTH_INVITATIONS_BY_MAIL", "1", |config| config.invitations.sign_in_by_mail, true),
];

fn site(config: &AuthConfig) -> &RelyingParty {
    config.relying_party.as_ref().expect("a relying party")
}

fn has(config: &AuthConfig, origin: &str) -> bool {
    site(config).has_origin(origin)
}

#[test]
fn the_options_of_features_are_read() {
    let variables = of_features::all().filter_map(|option| option.variable);
    assert_eq!(Vec::from_iter(variables), OF_FEATURES.map(|(variable, ..)| variable));
    let usual = [("AUTH_PASSKEY_RP_ID", "example.com"), ("AUTH_PASSKEY_ORIGINS", "https://www.example.com")];
    let with = |variable, value| [&usual[..], &[(variable, value)]].concat();
    for (variable, value, is_so, refuses_others) in OF_FEATURES {
        assert!(!is_so(&config(&usual).unwrap()), "{variable} has another default");
        assert!(is_so(&config(&with(variable, value)).unwrap()), "{variable}");
        if refuses_others {
            assert_eq!(options(&with(variable, "no, thanks")), [variable]);
        }
    }
}

#[test]
fn a_variable_that_is_none_of_the_librarys_is_named_with_those_that_may_be_meant() {
    let unknown = |name: &str| not_known([name.to_owned()]).1;
    assert_eq!(unknown("AUTH_SECRET"), ["AUTH_SECRET (see AUTH_JWT_SECRET, AUTH_REFRESH_SECRET)"]);
    assert_eq!(unknown("AUTH_ENDPOINT"), ["AUTH_ENDPOINT"]);
    for known_or_wrong in ["AUTH_JWT_SECRET", "AUTH_JWT_SECRETS", "SECRET"] {
        assert!(unknown(known_or_wrong).is_empty(), "{known_or_wrong}");
    }
}

fn misspelled_ones(names: &[&str]) -> Vec<String> {
    let variables: HashMap<_, _> = GOOD.into_iter().collect();
    let set = names.iter().map(|&name| name.to_owned());
    let read = read(|name| variables.get(name).map(|value| (*value).to_owned()), set);
    read.err().iter().flat_map(ConfigError::problems).map(ToString::to_string).collect()
}

#[test]
fn a_misspelled_variable_is_a_problem_and_one_of_the_host_is_none() {
    let typos = [
        "AUTH_BCRYPT_COTS",
        "AUTH_JWT_SECRETS",
        "AUTH_ISSUR",
        "AUTH_TRUSTED_PROXIE",
        "AUTH_ACCESS_TOKEN_TTL",
    ];
    let meant = [
        "AUTH_BCRYPT_COST",
        "AUTH_JWT_SECRET",
        "AUTH_ISSUER",
        "AUTH_TRUSTED_PROXIES",
        "AUTH_ACCESS_TOKEN_SECONDS",
    ];
    let message = |(typo, meant)| format!("{typo}: there is no such variable; did you mean {meant}?");
    let expected: Vec<_> = typos.iter().zip(meant).map(message).collect();
    assert_eq!(misspelled_ones(&typos), expected);
    let of_the_host = ["AUTH_USER", "AUTH_URL", "AUTH_REFUSE_COMMON_PASSWORDS", "BCRYPT_COTS", "AUTH_"];
    assert_eq!(misspelled_ones(&of_the_host), [""; 0]);
    assert_eq!(misspelled_ones(&GOOD.map(|(name, _)| name)), [""; 0]);
}

#[test]
fn a_variable_can_name_the_file_that_has_its_value() {
    let directory = std::env::temp_dir().join(format!("auth-env-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let file = |name: &str, text: &str| {
        fs::write(directory.join(name), text).unwrap();
        directory.join(name).to_str().unwrap().to_owned()
    };
    let (jwt, cost) = (file("jwt", &format!("{}\r\n", GOOD[0].1)), file("cost", "10\n"));
    let (empty, none) = (file("empty", "\n"), directory.join("none").to_str().unwrap().to_owned());
    let with_file = |file: &str, changes: &[(&str, &str)]| {
        config(&[&[("AUTH_JWT_SECRET", ""), ("AUTH_JWT_SECRET_FILE", file)], changes].concat())
    };
    let read = with_file(&jwt, &[("AUTH_BCRYPT_COST_FILE", &cost)]).unwrap();
    assert_eq!(read.bcrypt_cost, 10);
    assert_eq!(read.jwt_secrets.current().expose(), GOOD[0].1.as_bytes());

    let problems = |read: Result<AuthConfig, ConfigError>| {
        let problems: Vec<_> = read.unwrap_err().problems().iter().map(ToString::to_string).collect();
        problems.join("; ")
    };
    assert_eq!(problems(with_file(&empty, &[])), "AUTH_JWT_SECRET_FILE: the file is empty");
    let found = problems(with_file(&none, &[]));
    assert!(
        found.starts_with("AUTH_JWT_SECRET_FILE: the file cannot be read: ") && !found.contains(';'),
        "{found}"
    );
    let both = problems(config(&[("AUTH_JWT_SECRET_FILE", &jwt)]));
    assert_eq!(both, "AUTH_JWT_SECRET_FILE: AUTH_JWT_SECRET is set, too; set one of both");
    fs::remove_dir_all(directory).unwrap();

    assert_eq!(misspelled_ones(&["AUTH_JWT_SECRET_FILE", "AUTH_CONFIG_FILE"]), [""; 0]);
    let wrong = "AUTH_JWT_SECRT_FILE: there is no such variable; did you mean AUTH_JWT_SECRET_FILE?";
    assert_eq!(misspelled_ones(&["AUTH_JWT_SECRT_FILE"]), [wrong]);
}

#[test]
fn a_secret_that_is_missing_is_one_problem_that_says_how_to_make_one() {
    let error = AuthConfig::from_variables(|_| None).unwrap_err();
    let line = |name| format!("\n  {name} is not set; `openssl rand -base64 32` makes one");
    let lines: String = GOOD.iter().map(|(name, _)| line(name)).collect();
    let text = format!("the authentication module cannot start with this configuration:{lines}");
    assert_eq!(error.to_string(), text);
    // What Rust prints if `main` returns it.
    assert_eq!(format!("{error:?}"), text);
}

#[test]
fn a_secret_that_is_not_random_is_refused() {
    for weak in ["x".repeat(32), "password".repeat(4), "changeme".repeat(5), "0123456789abcdef".repeat(2)] {
        let error = config(&[("AUTH_JWT_SECRET", &weak)]).unwrap_err();
        let message = "AUTH_JWT_SECRET: it is not random; `openssl rand -base64 32` makes a secret";
        assert_eq!(error.problems().iter().map(ToString::to_string).collect::<Vec<_>>(), [message]);
    }
    let zeros = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    assert_eq!(options(&[("AUTH_ENCRYPTION_KEY", zeros)]), ["AUTH_ENCRYPTION_KEY"]);
}

#[test]
fn a_network_of_the_internet_is_no_trusted_proxy() {
    for wide in ["0.0.0.0/0", "::/0", "128.0.0.0/1", "10.0.0.0/7", "2000::/3"] {
        let refused = config(&[("AUTH_TRUSTED_PROXIES", wide)]).unwrap_err().to_string();
        assert!(refused.contains("AUTH_TRUSTED_PROXIES: expected networks of at most /8"), "{refused}");
    }
    assert!(config(&[("AUTH_TRUSTED_PROXIES", "10.0.0.0/8,fc00::/7,::1")]).is_ok());
}

#[test]
fn all_problems_are_reported_at_once_with_their_variables() {
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
fn password_hashes_have_an_algorithm_and_parameters_that_are_not_weak() {
    assert_eq!(
        config(&[("AUTH_PASSWORD_HASH", "bcrypt")]).unwrap().password_hash,
        Some(PasswordHash::Bcrypt)
    );
    assert_eq!(options(&[("AUTH_PASSWORD_HASH", "md5")]), ["AUTH_PASSWORD_HASH"]);
    let (memory, passes, lanes) =
        ("AUTH_ARGON2_MEMORY_KIB", "AUTH_ARGON2_ITERATIONS", "AUTH_ARGON2_PARALLELISM");
    let bound = "AUTH_PASSWORD_MEMORY_KIB";
    for (kib, count) in
        [("47104", "1"), ("19456", "2"), ("12288", "3"), ("9216", "4"), ("7168", "5"), ("65536", "16")]
    {
        let config = config(&[(memory, kib), (passes, count), (lanes, "4")]).unwrap();
        assert_eq!(
            (config.argon2_memory, config.argon2_iterations),
            (kib.parse().unwrap(), count.parse().unwrap())
        );
    }
    for (kib, count) in
        [("47103", "1"), ("19455", "2"), ("12287", "3"), ("9215", "4"), ("7167", "16"), ("131073", "2")]
    {
        assert_eq!(options(&[(memory, kib), (passes, count)]), [memory], "{kib} {count}");
    }
    for (variable, value) in
        [(passes, "0"), (passes, "17"), (lanes, "0"), (lanes, "17"), (bound, "1023"), (bound, "4194305")]
    {
        assert!(options(&[(variable, value)]).contains(&variable.to_owned()), "{variable} {value}");
    }
    let large = [(bound, "1048576"), (memory, "1048576"), (passes, "9")];
    assert_eq!(options(&large), [passes], "a stored hash of this work is never verified");
    assert!(config(&[large[0], large[1], (passes, "8")]).is_ok());
}

#[cfg(feature = "argon2")]
#[test]
fn argon2id_can_be_selected() {
    assert_eq!(
        config(&[("AUTH_PASSWORD_HASH", "argon2id")]).unwrap().password_hash,
        Some(PasswordHash::Argon2id)
    );
}

#[cfg(not(feature = "argon2"))]
#[test]
fn argon2id_names_its_cargo_feature() {
    let error = config(&[("AUTH_PASSWORD_HASH", "argon2id")]).unwrap_err().to_string();
    assert!(error.contains("requires the cargo feature `argon2`"), "{error}");
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
fn the_encryption_key_is_no_other_secret() {
    let key = GOOD.iter().find(|(name, _)| *name == "AUTH_ENCRYPTION_KEY").unwrap().1;
    for other in ["AUTH_JWT_SECRET", "AUTH_REFRESH_SECRET", "AUTH_PASSWORD_PEPPER"] {
        assert_eq!(options(&[(other, key)]), ["AUTH_ENCRYPTION_KEY"], "{other}");
    }
}

const OLD: &str = "an old secret of thirty-two bytes";
const OLDER: &str = "an older secret of more than that";

#[test]
fn previous_secrets_are_lists() {
    let list = format!(" {OLD} , {OLDER}");
    let config = config(&[("AUTH_PREVIOUS_JWT_SECRETS", &list)]).unwrap();
    let previous: Vec<_> = config.jwt_secrets.previous().iter().map(Secret::expose).collect();
    assert_eq!(previous, [OLD.as_bytes(), OLDER.as_bytes()]);
    assert!(config.refresh_secrets.previous().is_empty());
}

#[test]
fn a_previous_secret_meets_the_rules_of_a_secret_and_differs_from_all_others() {
    let list = |secrets: &[&str]| secrets.join(",");
    let [(_, jwt), (_, refresh), _] = GOOD;
    let (too_short, twice) = ("expected at least 32 bytes", "it contains a secret twice");
    let differ = |other: &str| format!("each secret must differ from {other}");
    for (variable, value, message) in [
        ("AUTH_PREVIOUS_JWT_SECRETS", list(&["short"]), too_short.to_owned()),
        ("AUTH_PREVIOUS_JWT_SECRETS", list(&[OLD, ""]), too_short.to_owned()),
        ("AUTH_PREVIOUS_REFRESH_SECRETS", list(&["short", OLD]), too_short.to_owned()),
        ("AUTH_PREVIOUS_JWT_SECRETS", list(&[OLD, OLD]), twice.to_owned()),
        ("AUTH_PREVIOUS_REFRESH_SECRETS", list(&[OLD, OLD]), twice.to_owned()),
        ("AUTH_PREVIOUS_JWT_SECRETS", list(&[OLD, jwt]), differ("AUTH_JWT_SECRET")),
        ("AUTH_PREVIOUS_JWT_SECRETS", list(&[refresh]), differ("AUTH_REFRESH_SECRET")),
        ("AUTH_PREVIOUS_REFRESH_SECRETS", list(&[jwt]), differ("AUTH_JWT_SECRET")),
        ("AUTH_PREVIOUS_REFRESH_SECRETS", list(&[OLD, refresh]), differ("AUTH_REFRESH_SECRET")),
        (
            "AUTH_PREVIOUS_JWT_SECRETS",
            list(&[OLD, OLDER, "a third secret of thirty-two bytes"]),
            "expected at most 2 secrets".to_owned(),
        ),
    ] {
        let error = config(&[(variable, &value)]).unwrap_err();
        assert_eq!(error.problems(), [ConfigProblem { option: variable.into(), message }]);
    }
    let both = [("AUTH_PREVIOUS_JWT_SECRETS", OLD), ("AUTH_PREVIOUS_REFRESH_SECRETS", OLD)];
    let error = config(&both).unwrap_err().to_string();
    let message = "each secret must differ from those of AUTH_PREVIOUS_JWT_SECRETS";
    assert!(error.ends_with(&format!("\n  AUTH_PREVIOUS_REFRESH_SECRETS: {message}")), "{error}");
}

#[test]
fn a_pepper_meets_the_rules_of_a_secret_and_differs_from_all_others() {
    let [(_, jwt), (_, refresh), _] = GOOD;
    let (pepper, previous) = ("AUTH_PASSWORD_PEPPER", "AUTH_PREVIOUS_PASSWORD_PEPPERS");
    for (changes, expected) in [
        (vec![(pepper, "short")], (pepper, "expected at least 32 bytes")),
        (vec![(previous, "short")], (previous, "expected at least 32 bytes")),
        (vec![(pepper, jwt)], (pepper, "it must differ from AUTH_JWT_SECRET")),
        (vec![(previous, refresh)], (previous, "each secret must differ from AUTH_REFRESH_SECRET")),
        (
            vec![(pepper, OLD), (previous, OLD)],
            (previous, "each secret must differ from AUTH_PASSWORD_PEPPER"),
        ),
        (
            vec![("AUTH_PREVIOUS_JWT_SECRETS", OLD), (pepper, OLD)],
            (pepper, "it must differ from AUTH_PREVIOUS_JWT_SECRETS"),
        ),
    ] {
        let error = config(&changes).unwrap_err();
        let (option, message) = expected;
        assert_eq!(error.problems(), [ConfigProblem { option: option.into(), message: message.to_owned() }]);
        assert!(!error.to_string().contains(OLD));
    }
    let many =
        format!("{OLD},{OLDER},a third secret of thirty-two bytes,a fourth secret of thirty-two bytes");
    let config = config(&[(previous, &many)]).unwrap();
    assert!(config.password_pepper.is_none());
    assert_eq!(config.previous_password_peppers.len(), 4);
    assert!(!format!("{config:?}").contains(OLD));
}

#[test]
fn debug_shows_the_options_without_secrets() {
    let config = config(&[("AUTH_BCRYPT_COST", "13"), ("AUTH_PASSWORD_PEPPER", OLD)]).unwrap();
    let output = format!("{config:?}");
    assert!(output.contains("bcrypt_cost: 13"), "{output}");
    for (_, secret) in GOOD.iter().chain(&[("", OLD)]) {
        assert!(!output.contains(secret), "{output}");
    }
}

#[test]
fn a_problem_never_contains_the_value() {
    let error = config(&[("AUTH_PREVIOUS_JWT_SECRETS", "hunter2,hunter2,hunter2")]).unwrap_err();
    assert!(!format!("{error}{error:?}").contains("hunter2"));
    let error = config(&[("AUTH_JWT_SECRET", "hunter2"), ("AUTH_BCRYPT_COST", "hunter2")]).unwrap_err();
    assert!(!format!("{error}{error:?}").contains("hunter2"));
    assert!(error.to_string().contains("\n  AUTH_JWT_SECRET: expected at least 32 bytes"));
    let debug = format!("{:?}", config(&[("AUTH_PREVIOUS_JWT_SECRETS", OLD)]).unwrap());
    assert!(!debug.contains(OLD), "{debug}");
}

#[test]
fn an_option_that_is_far_too_large_is_a_mistake() {
    let milliseconds = [("AUTH_SESSION_SECONDS", "2592000000"), ("AUTH_RESET_TOKEN_SECONDS", "3600000000")];
    assert_eq!(options(&milliseconds), ["AUTH_SESSION_SECONDS", "AUTH_RESET_TOKEN_SECONDS"]);
    let refused = config(&milliseconds).unwrap_err().to_string();
    assert!(refused.contains("expected one second to 3650 days"), "{refused}");
    let ten_years = "315360000";
    assert!(config(&[("AUTH_SESSION_SECONDS", ten_years), ("AUTH_APP_NAME", &"ü".repeat(64))]).is_ok());
    assert_eq!(options(&[("AUTH_APP_NAME", &"ü".repeat(65))]), ["AUTH_APP_NAME"]);
}

#[test]
fn contradicting_lifetimes_are_reported_with_the_names_of_the_variables() {
    let error = config(&[("AUTH_REFRESH_TOKEN_SECONDS", "60")]).unwrap_err();
    assert!(error.to_string().contains("AUTH_ACCESS_TOKEN_SECONDS"));
    assert!(error.to_string().contains("(AUTH_REFRESH_TOKEN_SECONDS)"));
}
