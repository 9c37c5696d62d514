//! `check-config`

use super::{Directory, command, finish, run};

const GOOD: [(&str, &str); 3] = [
    ("AUTH_JWT_SECRET", "a secret of thirty-two bytes or so"),
    ("AUTH_REFRESH_SECRET", "another one of thirty-two bytes.."),
    ("AUTH_ENCRYPTION_KEY", "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="),
];

fn text(more: &str) -> String {
    GOOD.iter().map(|(name, value)| format!("{name}='{value}'\n")).collect::<String>() + more
}

/// The deviations in the output.
fn deviations(stdout: &str) -> Vec<&str> {
    let options = stdout.lines().filter_map(|line| line.strip_prefix("- ")?.split(':').next());
    options.collect()
}

#[test]
fn the_environment_is_checked() {
    let mut command = command(&["check-config"]);
    command.envs(GOOD).env("AUTH_BCRYPT_COST", "9");
    let done = finish(command);
    assert_eq!((done.code, &*done.stderr), (1, ""));
    let expected = "the authentication module cannot start with this configuration:\n  \
                    AUTH_BCRYPT_COST: expected a cost from 10 to 16\n";
    assert_eq!(done.stdout, expected);
}

#[test]
fn every_problem_is_named_and_no_value() {
    let directory = Directory::new();
    let wrong = "AUTH_BCRYPT_COST=many\nAUTH_BCRYPT_COTS=12\nAUTH_ISSUER=me\nAUTH_ISSUER=you\nPORT=1\nPORT=2\n\
                 AUTH_JWT_SECRET=c2VjcmV0\n";
    let path = directory.write(".env", &format!("{wrong}AUTH_REFRESH_SECRET=dGhlIHNhbWU=\n"));
    let done = run(&["check-config", &path]);
    assert_eq!((done.code, &*done.stderr), (1, ""));
    let problems: Vec<_> = done.stdout.lines().skip(1).map(str::trim).collect();
    let expected = [
        "AUTH_JWT_SECRET: expected at least 32 bytes",
        "AUTH_REFRESH_SECRET: expected at least 32 bytes",
        "AUTH_ENCRYPTION_KEY is not set; `openssl rand -base64 32` makes one",
        "AUTH_BCRYPT_COST: expected a whole number",
        "AUTH_BCRYPT_COTS: there is no such variable; did you mean AUTH_BCRYPT_COST?",
        "AUTH_ISSUER: it is set more than once: some programs take the first value, others the last",
    ];
    assert_eq!(problems, expected);
    assert!(!done.stdout.contains("c2VjcmV0") && !done.stdout.contains("dGhlIHNhbWU"));
}

#[test]
fn the_file_alone_counts_and_not_the_environment() {
    let directory = Directory::new();
    let mut command = command(&["check-config", &directory.write(".env", "")]);
    command.envs(GOOD);
    let done = finish(command);
    assert_eq!((done.code, done.stdout.matches("is not set").count()), (1, 3));
}

#[test]
fn the_deviations_of_a_valid_configuration_are_listed_with_their_features() {
    let directory = Directory::new();
    let done = run(&["check-config", &directory.write("default.env", &text(""))]);
    assert_eq!((done.code, &*done.stderr), (0, ""));
    let default = deviations(&done.stdout);
    for option in ["audience", "reset_token_lifetime", "confirm_email_change"] {
        assert!(default.contains(&option), "{}", done.stdout);
    }
    let (_, of_feature) = done.stdout.split_once("with the feature RESET_PASSWORDS:\n").unwrap();
    assert!(
        of_feature.starts_with("- reset_token_lifetime: a reset token is valid for 60 minutes"),
        "{of_feature}"
    );

    let strict = "AUTH_AUDIENCE=us\nAUTH_RESET_TOKEN_SECONDS=600\nAUTH_INSECURE_COOKIES=1\n";
    let done = run(&["check-config", &directory.write("strict.env", &text(strict))]);
    let strict = deviations(&done.stdout);
    assert!(!strict.contains(&"audience") && !strict.contains(&"reset_token_lifetime"), "{}", done.stdout);
    assert!(!default.contains(&"browser.insecure_for_development"));
    assert!(strict.contains(&"browser.insecure_for_development"), "{}", done.stdout);
}

/// The command knows the module's own list, except for what the host gives to the module.
#[test]
fn the_deviations_are_those_of_a_module() {
    use axum_auth_module::testing::{MemoryPasswordResets, MemoryUsers, Outbox};
    use axum_auth_module::{AuthConfig, AuthModule, AuthUser, InResponse, StandardActions, auth_module};
    use std::time::SystemTime;

    #[derive(Clone, Default, AuthUser)]
    struct Account {
        id: u32,
        name: String,
        email: String,
        password: String,
        email_verified_at: Option<SystemTime>,
        two_factor_secret: Option<String>,
        two_factor_recovery_codes: Option<String>,
        two_factor_confirmed_at: Option<SystemTime>,
        password_confirmed_at: Option<SystemTime>,
    }

    let insecure = ("AUTH_INSECURE_COOKIES", "1");
    let value = |name: &str| {
        GOOD.iter().chain([&insecure]).find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    };
    let module = || -> Result<AuthModule<Account>, axum_auth_module::config::ConfigError> {
        Ok(auth_module! {
            config: AuthConfig::from_variables(value)?,
            features: [
                REGISTRATION, RESET_PASSWORDS, EMAIL_VERIFICATION, UPDATE_PROFILE_INFORMATION, UPDATE_PASSWORDS,
                TWO_FACTOR_AUTHENTICATION, SESSIONS, BROWSER_SESSIONS, EMAIL_LOGIN,
            ],
            user_repo: MemoryUsers::<Account>::default(),
            password_reset_repo: MemoryPasswordResets::default(),
            session_repo: axum_auth_module::repository::MemorySessions::new(),
            actions: StandardActions,
            delivery: {
                PasswordReset: InResponse,
                EmailVerification: InResponse,
                EmailLogin: Outbox::new(),
            },
        })
    };
    let of_host = [
        "store",
        "events",
        "policy",
        "session_repo",
        "password_reset_delivery",
        "email_verification_delivery",
        "notices",
    ];
    let posture = module().unwrap().posture();
    let mut expected: Vec<_> =
        posture.iter().filter(|found| !of_host.contains(&found.option)).map(ToString::to_string).collect();

    let directory = Directory::new();
    let done = run(&["check-config", &directory.write(".env", &text("AUTH_INSECURE_COOKIES=1\n"))]);
    let mut listed: Vec<_> =
        done.stdout.lines().filter_map(|line| line.strip_prefix("- ")).map(str::to_owned).collect();
    expected.sort();
    listed.sort();
    assert_eq!(listed, expected);
}

#[cfg(unix)]
#[test]
fn a_file_that_others_can_read_is_named() {
    use std::os::unix::fs::PermissionsExt;

    let directory = Directory::new();
    let path = directory.write(".env", &text(""));
    let warning = format!("Other users of this machine can open {path}; `chmod 600 {path}` prevents it.");
    assert!(!run(&["check-config", &path]).stdout.contains(&warning));
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
    assert!(run(&["check-config", &path]).stdout.contains(&warning));
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_without_its_text() {
    let directory = Directory::new();
    let done = run(&["check-config", &directory.file("missing.env")]);
    assert_eq!((done.code, &*done.stdout), (2, ""));
    assert!(done.stderr.contains("missing.env cannot be read"), "{done:?}");
    let path = directory.write(".env", "AUTH_ISSUER=me\nAUTH_JWT_SECRET\nc2VjcmV0\n");
    let done = run(&["check-config", &path]);
    assert_eq!((done.code, &*done.stdout), (2, ""));
    assert_eq!(done.stderr, format!("{path}:2: expected `NAME=value`, or a comment that begins with `#`\n"));
}
