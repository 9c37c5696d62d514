//! What the derive and `auth_module!` accept, and what they say where they do not; `ui/README.md` says how it works.

/// One `TestCases`: each builds the library anew.
#[test]
fn hosts() {
    let hosts = trybuild::TestCases::new();
    hosts.pass("ui/passing/*.rs");
    hosts.compile_fail("ui/missing_provider/*.rs");
    hosts.compile_fail("ui/auth_user/*.rs");
    hosts.compile_fail("ui/auth_module/*.rs");
}
