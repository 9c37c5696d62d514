//! What the host compiles: neither sqlx nor libpq.

use std::process::Command;

/// The names of the packages of this host. In a build of the whole workspace, cargo gives the library the cargo features of the other hosts
/// as well; in a build of this package alone it does not.
#[test]
fn the_host_compiles_neither_sqlx_nor_libpq() {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--package", env!("CARGO_PKG_NAME"), "--edges", "normal,build,dev"])
        .args(["--prefix", "none", "--format", "{p}", "--locked", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout).unwrap();
    let names: Vec<_> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(names.contains(&"diesel-async") && names.contains(&"axum-auth-module"), "{tree}");
    let unwanted = |name: &&&str| name.starts_with("sqlx") || ["pq-sys", "libsqlite3-sys"].contains(name);
    assert_eq!(names.iter().find(unwanted), None);
}
