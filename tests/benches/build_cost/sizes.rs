//! How much text the compiler is given.

use crate::Failure;
use crate::workspaces::{MACROS, root, sources};
use std::fs;
use std::path::Path;

/// Lines of a host's code: without blank lines, comments and tests.
pub(crate) fn host(host: &str) -> Result<usize, Failure> {
    let mut lines = 0;
    for entry in fs::read_dir(sources(host).join("src"))? {
        let path = entry?.path();
        if !path.ends_with("tests.rs") {
            let text = read(&path)?;
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            lines += code.lines().filter(|line| is_code(line)).count();
        }
    }
    Ok(lines)
}

/// Lines that the derive becomes, in the snapshot of a record of nine fields and one of the host's own.
pub(crate) fn derive() -> Result<usize, Failure> {
    expansion("auth_user", "fields_take_roles_by_their_names")
}

/// Lines that the module macro becomes, in the snapshot of every feature.
pub(crate) fn module() -> Result<usize, Failure> {
    expansion("auth_module", "every_feature_is_a_call")
}

fn expansion(of: &str, test: &str) -> Result<usize, Failure> {
    let name = format!("axum_auth_module_macros__{of}__tests__{test}.snap");
    let path = root().join(MACROS).join("src").join(of).join("snapshots").join(name);
    let text = read(&path)?;
    let (_, becomes) = text.split_once("// It becomes:").ok_or("a snapshot without its expansion")?;
    Ok(becomes.lines().filter(|line| is_code(line)).count())
}

fn is_code(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with("//")
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()).into())
}
