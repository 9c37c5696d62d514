//! The hosts that list every feature. Their lists are written from the library's own, so that a new feature is in them.
//!
//! `TRYBUILD=overwrite` writes them.

use crate::suite;
use std::fs;
use std::path::Path;

/// Takes the words of `auth_module!` from the library's list of features.
macro_rules! words {
    (
        features: [$({ $variant:ident $feature:ident $($about:tt)* })*]
        own: [$({ { $own:ident $module:ident $trait_name:ident } $own_about:literal })*]
        actions: $about_actions:literal [$({ $action:ident $($path:ident)* })*]
        delivery: $about_delivery:literal [$({ $delivery:ident $($message:ident)* })*]
        $($sentence:tt)*
    ) => {
        const FEATURES: &[&str] = &[$(stringify!($feature)),*];
        /// The keys that hold one provider, with its trait.
        const KEYS: &[(&str, &str)] = &[$((stringify!($own), stringify!($trait_name))),*];
        const ACTIONS: &[&str] = &[$(stringify!($action)),*];
        const DELIVERIES: &[&str] = &[$(stringify!($delivery)),*];
    };
}

axum_auth_module_macros::catalog! { words }

/// The files, from this package.
const HOSTS: [&str; 2] =
    ["ui/passing/every_feature.rs", "ui/missing_provider/every_feature_without_any_provider.rs"];

#[test]
fn hosts_list_every_feature() {
    suite::messages_are_written();
    for host in HOSTS {
        let text = fs::read_to_string(host).unwrap();
        let is_complete = complete(&text) == text;
        assert!(
            is_complete,
            "{host} does not have every word\nTRYBUILD=overwrite cargo test -p auth-tests --test macros"
        );
    }
}

/// Writes the lists of the hosts.
pub(crate) fn write() {
    for host in HOSTS {
        fs::write(host, complete(&fs::read_to_string(host).unwrap())).unwrap();
    }
}

/// The host with every word in its lists. The list after `within` has another order.
fn complete(host: &str) -> String {
    let entry = |text: String| format!("            {text},\n");
    let features = FEATURES.iter().map(|word| entry((*word).to_owned()));
    // `StandardActions` deletes nobody.
    let action =
        |word| if word == "DeletesUsers" { "MemoryUsers::<Account>::default()" } else { "StandardActions" };
    let actions = ACTIONS.iter().map(|word| entry(format!("{word}: {}", action(*word))));
    // `InResponse` delivers some of the messages. It is the value of the last of these.
    let messages = fs::read_to_string("../auth/src/delivery/messages.rs").unwrap();
    let is_returnable = |word: &&&str| messages.contains(&format!("impl Returnable for {word}Message "));
    let in_response = DELIVERIES.iter().rfind(is_returnable);
    let value = |word| if in_response == Some(word) { "InResponse" } else { "Mailer" };
    let deliveries = DELIVERIES.iter().map(|word| entry(format!("{word}: {}", value(word))));
    let value = |of: &str| match of {
        "SocialProviders" => "providers()?".to_owned(),
        "ApiScopes" => "axum_auth_module::config::ApiScopes::new([\"orders:read\"])?".to_owned(),
        "ServiceKeys" => "service_keys()?".to_owned(),
        "HttpClient" => "Offline".to_owned(),
        of => format!("{}::default()", in_memory(of)),
    };
    let keys = KEYS.iter().map(|(key, of)| format!("        {key}: {},\n", value(of)));
    let host = with_list(host, "features: [\n", "        ]", &features.clone().collect::<String>());
    let host = with_list(&host, "within [\n", "        ]", &features.rev().collect::<String>());
    let host = with_list(&host, "        actions: {\n", "        }", &actions.collect::<String>());
    let host = with_list(&host, "        delivery: {\n", "        }", &deliveries.collect::<String>());
    with_list(&host, "        // Every other provider.\n", "        actions", &keys.collect::<String>())
}

/// The text with this between the two others, wherever they are.
fn with_list(text: &str, before: &str, after: &str, list: &str) -> String {
    let mut parts = text.split(before);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let end = part.find(after).unwrap_or_else(|| panic!("no `{after}` after `{before}`"));
        text + before + list + &part[end..]
    })
}

/// The type of `axum_auth_module::testing` that implements a trait. It is beside the trait or among the test support.
fn in_memory(trait_name: &str) -> String {
    let folders = ["../auth/src/repository", "../auth/src/testing"];
    let files = folders.into_iter().flat_map(|folder| fs::read_dir(Path::new(folder)).unwrap());
    let files = files.map(|file| file.unwrap().path()).filter(|file| file.is_file());
    let source: String = files.map(|file| fs::read_to_string(file).unwrap()).collect();
    // One of the hosts has several instances.
    for kind in ["SharedMemory", "Memory"] {
        if let Some((_, rest)) = source.split_once(&format!("impl {trait_name} for {kind}")) {
            let name: String = rest.chars().take_while(|letter| letter.is_alphanumeric()).collect();
            return format!("testing::{kind}{name}");
        }
    }
    panic!("no in-memory type implements {trait_name}");
}
