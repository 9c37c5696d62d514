//! Error messages for invalid configurations.

use crate::host::{Directory, command, end_of, log};

/// The standard error of a program that does not start.
fn refusal(environment: &[(&str, &str)]) -> String {
    let directory = Directory::new();
    let mut child = command(&directory, environment).spawn().expect("the program starts");
    let status = end_of(&mut child);
    let text = log(&directory);
    assert_eq!(status.code(), Some(1), "{text}");
    assert!(!text.contains("panicked"), "{text}");
    text
}

#[test]
fn all_errors_are_reported_at_once_without_values() {
    let wrong = [
        ("ADDR", "wrong-address"),
        ("DATABASE_URL", "oracle://somebody:wrong-password@db.example.com/accounts"),
        ("REDIS_URL", "http://somebody:wrong-password@redis.example.com"),
        ("SMTP_URL", "http://wrong-user:wrong-password@mail.example.com"),
        ("MAIL_FROM", "wrong-sender"),
        ("PUBLIC_URL", "wrong-url"),
        ("AUTH_JWT_SECRET", "wrong-and-short"),
        ("AUTH_ENCRYPTION_KEY", "wrong-and-no-base64"),
        ("AUTH_BCRYPT_COST", "wrong-cost"),
        ("AUTH_TRUSTED_PROXIES", "wrong-networks"),
        ("AUTH_PASSWORD_MIN_CHARACTERS", "7"),
        ("AUTH_REFUSE_COMMON_PASSWORDS", "wrong-word"),
    ];
    let text = refusal(&[&wrong[..], &[("AUTH_FEATURES", "registratoin")]].concat());
    for name in wrong.map(|(name, _)| name).iter().chain(&["AUTH_FEATURES"]) {
        assert_eq!(text.matches(&format!("\n  {name}: ")).count(), 1, "{name}:\n{text}");
    }
    assert!(!text.contains("wrong-"), "{text}");
    assert!(text.contains("update-passwords"), "the features that there are:\n{text}");
}

/// The origins of passkeys have a default for `localhost` alone.
#[test]
fn another_relying_party_needs_its_origins() {
    let text = refusal(&[("AUTH_PASSKEY_RP_ID", "example.com")]);
    assert!(text.contains("\n  AUTH_PASSKEY_ORIGINS: "), "{text}");
}

#[test]
fn a_data_directory_that_cannot_be_created_hides_no_other_error() {
    let directory = Directory::new();
    let file = directory.file("a-file");
    std::fs::write(&file, "").expect("written");
    let below_a_file = file.join("data");
    let text = refusal(&[("DATA_DIR", below_a_file.to_str().expect("text")), ("AUTH_BCRYPT_COST", "9")]);
    let problems: Vec<_> =
        text.lines().filter_map(|line| line.strip_prefix("  ")?.split_once(": ")).collect();
    let named: Vec<_> = problems.iter().map(|(name, _)| *name).collect();
    assert_eq!(named, ["DATA_DIR", "AUTH_BCRYPT_COST"], "{text}");
}

#[test]
fn a_database_that_cannot_be_opened_is_named_in_the_error() {
    let text = refusal(&[("DATABASE_URL", "sqlite://no/such/directory/accounts.db")]);
    assert!(text.contains("\n  DATABASE_URL: cannot open the database: "), "{text}");
}

#[test]
fn a_server_that_does_not_respond_is_named_without_its_password() {
    let text = refusal(&[("DATABASE_URL", "postgres://ada:wrong-password@127.0.0.1:1/accounts")]);
    assert!(text.contains("\n  DATABASE_URL: cannot open the database: "), "{text}");
    assert!(!text.contains("wrong-password"), "{text}");
}

#[test]
fn an_address_in_use_is_named_in_the_error() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound").to_string();
    let text = refusal(&[("ADDR", &address)]);
    assert!(text.contains(&format!("\n  ADDR: could not listen on {address}: ")), "{text}");
}

#[test]
fn secrets_that_are_damaged_are_not_replaced() {
    let directory = Directory::new();
    std::fs::create_dir(directory.data()).expect("made");
    let secrets = directory.data().join("secrets.env");
    std::fs::write(&secrets, "AUTH_JWT_SECRET=only-this-one\n").expect("written");
    let mut child = command(&directory, &[]).spawn().expect("the program starts");
    assert_eq!(end_of(&mut child).code(), Some(1));
    let text = log(&directory);
    assert!(
        text.contains("secrets.env lacks AUTH_REFRESH_SECRET") && !text.contains("only-this-one"),
        "{text}"
    );
    assert_eq!(std::fs::read_to_string(secrets).expect("kept"), "AUTH_JWT_SECRET=only-this-one\n");
}
