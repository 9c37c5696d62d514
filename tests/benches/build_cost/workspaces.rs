//! Workspaces of the hosts, each in a workspace of its own with the library, where lines can be changed.

use crate::Failure;
use std::fs;
use std::path::{Path, PathBuf};

/// The library, as the hosts depend on it.
pub(crate) const LIBRARY: &str = "auth";
pub(crate) const MACROS: &str = "auth-macros";

/// The hosts, in the order in which they take turns.
pub(crate) const HOSTS: [&str; 4] = ["with_macro", "by_hand", "plain_axum", "bare_axum"];

pub(crate) struct Workspaces {
    /// One of each of [`HOSTS`].
    pub(crate) hosts: [Workspace; HOSTS.len()],
    /// `by_hand` again, to compile the macro crate alone.
    pub(crate) macro_crate: Workspace,
}

/// One host.
pub(crate) struct Workspace {
    /// The workspace.
    pub(crate) folder: PathBuf,
    /// The host's package.
    pub(crate) package: String,
}

impl Workspaces {
    pub(crate) fn lay_out() -> Result<Self, Failure> {
        if folder().exists() {
            fs::remove_dir_all(folder())?;
        }
        let [with_macro, by_hand, plain_axum, bare_axum] = HOSTS;
        let hosts = [
            Workspace::lay_out(with_macro, with_macro)?,
            Workspace::lay_out(by_hand, by_hand)?,
            Workspace::lay_out(plain_axum, plain_axum)?,
            Workspace::lay_out(bare_axum, bare_axum)?,
        ];
        let macro_crate = Workspace::lay_out("macro_crate", by_hand)?;
        Ok(Self { hosts, macro_crate })
    }
}

impl Workspace {
    fn lay_out(name: &str, host: &str) -> Result<Self, Failure> {
        let (folder, root) = (folder().join(name), root());
        for part in [LIBRARY, MACROS] {
            copy(&root.join(part), &folder.join(part))?;
        }
        copy(&sources(host), &folder.join("host"))?;
        fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
        let manifest = fs::read_to_string(root.join("Cargo.toml"))?;
        let parts = manifest.split_once("\nmembers = [").zip(manifest.split_once("\n]\n"));
        let Some(((before, _), (_, after))) = parts else {
            return Err("the workspace's manifest has no list of members".into());
        };
        let own = format!("members = [\"{LIBRARY}\", \"{MACROS}\", \"host\"]");
        fs::write(folder.join("Cargo.toml"), format!("{before}\n{own}\n{after}"))?;
        Ok(Self { folder, package: format!("build-cost-{}", host.replace('_', "-")) })
    }

    /// The program that a release build makes.
    pub(crate) fn released(&self) -> PathBuf {
        self.folder.join("target/release").join(&self.package)
    }

    /// The file that lines are changed in.
    pub(crate) fn main(&self) -> PathBuf {
        self.folder.join("host/src/main.rs")
    }
}

/// Where all of this happens. Cargo gives benches a directory below the target directory.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("build_cost")
}

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of a host in the repository.
pub(crate) fn sources(host: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("build_cost/hosts").join(host)
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).map_err(|error| format!("{}: {error}", from.display()))? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &to)?,
            false => fs::copy(entry.path(), to).map(drop)?,
        }
    }
    Ok(())
}
