//! The hosts that compile: modules of this program, so that it is linked once for all of them. They also run.

use std::fs;
use std::process::{ExitCode, Termination};

/// Declares the hosts of `ui/passing`, and a test for each that runs its `main`.
macro_rules! hosts {
    ($($host:ident)*) => {
        #[allow(
            warnings,
            clippy::all,
            clippy::pedantic,
            clippy::nursery,
            clippy::restriction,
            reason = "the hosts are written as newcomers write"
        )]
        #[path = "../ui/passing"]
        mod hosts {
            $(pub(super) mod $host;)*
        }

        mod run {
            $(#[test]
            fn $host() {
                super::succeeds(super::hosts::$host::main());
            })*
        }

        const HOSTS: &[&str] = &[$(stringify!($host)),*];
    };
}

hosts! {
    a_base_value_for_providers_that_are_not_named
    a_generic_record
    a_host_that_denies_every_lint
    every_feature
    fields_take_roles_by_attributes
    fields_take_roles_by_their_names
    modules_in_every_form
    names_in_the_host_do_not_matter
    parameters_are_called_like_types
    records_and_modules_written_by_macros
    two_modules_for_two_user_types
    type_aliases_named_like_known_types
    values_are_made_in_order
    what_newcomers_try
}

fn succeeds(result: impl Termination) {
    assert_eq!(result.report(), ExitCode::SUCCESS);
}

#[test]
fn every_host_is_declared() {
    let mut files: Vec<_> = fs::read_dir("ui/passing")
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let declared: Vec<_> = HOSTS.iter().map(|host| format!("{host}.rs")).collect();
    assert_eq!(files, declared);
}
