use super::*;
use crate::catalog::{PLAIN, Requirement};
use crate::testing::messages;

/// Lists these features, each where a test wrote it.
fn listed(features: &[&'static FeatureRow]) -> ListedFeatures {
    let features = features.iter().map(|feature| Listed {
        word: Ident::new(feature.word, Span::call_site()),
        feature,
        is_exact: true,
    });
    ListedFeatures { features: features.collect(), is_complete: true }
}

fn reported(report: impl FnOnce(&mut Errors)) -> String {
    let mut errors = Errors::of("login");
    report(&mut errors);
    errors.into_compile_errors().map(messages).unwrap_or_default()
}

/// The message for each provider of each feature, if all are missing.
#[test]
fn every_missing_provider_says_what_to_type() {
    let mut texts = Vec::new();
    for feature in FEATURES {
        let list = listed(&[feature]);
        let missing: Vec<_> = list
            .features
            .iter()
            .flat_map(|listed| feature.needs.iter().map(move |provider| Missing { listed, provider }))
            .collect();
        texts.extend(missing.iter().map(|one| one.message(&missing, false)));
    }
    insta::assert_snapshot!(texts.join("\n----\n"));
}

/// A feature with each kind of requirement.
static MAGIC_LINKS: FeatureRow = FeatureRow {
    word: "MAGIC_LINKS",
    requires: &[
        Requirement { with: None, any_of: &["SESSIONS"] },
        Requirement { with: Some("SESSIONS"), any_of: &["EMAIL_VERIFICATION"] },
        Requirement { with: None, any_of: &["SESSIONS", "EMAIL_VERIFICATION"] },
    ],
    cargo_features: &["mail"],
    ..PLAIN
};
static SESSIONS: FeatureRow = FeatureRow { word: "SESSIONS", ..PLAIN };
static EMAIL_VERIFICATION: FeatureRow = FeatureRow { word: "EMAIL_VERIFICATION", ..PLAIN };

#[test]
fn a_feature_that_another_one_requires_must_be_listed() {
    let missing =
        |list: &[&'static FeatureRow]| reported(|errors| report_missing_features(&listed(list), errors));
    assert_eq!(
        missing(&[&SESSIONS, &MAGIC_LINKS]),
        "Missing feature: EMAIL_VERIFICATION. MAGIC_LINKS together with SESSIONS requires it.\n\n\
         help: add to `features`:\n    EMAIL_VERIFICATION,"
    );
    assert_eq!(
        missing(&[&EMAIL_VERIFICATION, &MAGIC_LINKS]),
        "Missing feature: SESSIONS. MAGIC_LINKS requires it.\n\nhelp: add to `features`:\n    SESSIONS,"
    );
    let none = missing(&[&MAGIC_LINKS]);
    let one_of_them = "Missing feature: SESSIONS or EMAIL_VERIFICATION. MAGIC_LINKS requires one of them.\n\n\
                       help: add to `features`:\n    SESSIONS,";
    assert!(none.ends_with(one_of_them), "{none}");
    let list = listed(&[&EMAIL_VERIFICATION, &SESSIONS, &MAGIC_LINKS]);
    assert_eq!(reported(|errors| report_missing_features(&list, errors)), "");
}

/// It may be a word that was not understood.
#[test]
fn nothing_is_missing_from_a_list_that_is_not_understood() {
    let list = ListedFeatures { is_complete: false, ..listed(&[&MAGIC_LINKS]) };
    assert_eq!(reported(|errors| report_missing_features(&list, errors)), "");
}

#[test]
fn a_required_cargo_feature_must_be_enabled() {
    let list = listed(&[&MAGIC_LINKS, &SESSIONS]);
    let off = [("mail", false), ("sqlite", true)];
    assert_eq!(
        reported(|errors| report_missing_cargo_features(&list, &off, errors)),
        "Missing cargo feature: mail. MAGIC_LINKS requires it.\n\n\
         help: run `cargo add axum-auth-module --rename login --features mail`"
    );
    assert_eq!(reported(|errors| report_missing_cargo_features(&list, &[("mail", true)], errors)), "");
}

/// A feature that the library lacks in this build has no method to call, and its providers no use.
#[test]
fn a_feature_without_its_cargo_feature_is_not_called() {
    let one = listed(&[&MAGIC_LINKS]).features.remove(0);
    assert_eq!(one.missing_cargo_features(&[("mail", false)]), ["mail"]);
    assert_eq!(one.missing_cargo_features(&[]), ["mail"]);
    let list = listed(&[&MAGIC_LINKS, &SESSIONS]);
    let available: Vec<_> = list.available().map(|listed| listed.feature.word).collect();
    let expected: &[&str] = if cfg!(feature = "mail") { &["MAGIC_LINKS", "SESSIONS"] } else { &["SESSIONS"] };
    assert_eq!(available, expected);
}
