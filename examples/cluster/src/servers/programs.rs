//! The programs of the servers.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Where the programs are.
pub(crate) struct Programs {
    pub(super) initdb: PathBuf,
    pub(super) postgres: PathBuf,
    pub(super) redis_server: PathBuf,
}

impl Programs {
    /// Finds them in `PATH` and, PostgreSQL's, where Debian has them.
    ///
    /// # Errors
    /// A text that says which are missing.
    pub(crate) fn find() -> Result<Self, String> {
        let mut folders: Vec<_> = env::var_os("PATH").iter().flat_map(env::split_paths).collect();
        folders.extend(debian());
        let find = |name: &str| folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file());
        // From one folder, so that both have the same version.
        let initdb = find("initdb");
        let postgres = initdb.as_deref().and_then(Path::parent).map(|folder| folder.join("postgres"));
        match (initdb, postgres.filter(|path| path.is_file()), find("redis-server")) {
            (Some(initdb), Some(postgres), Some(redis_server)) => Ok(Self { initdb, postgres, redis_server }),
            (initdb, postgres, redis_server) => {
                let found = [("initdb", initdb), ("postgres", postgres), ("redis-server", redis_server)];
                let missing = found.iter().filter(|(_, path)| path.is_none()).map(|(name, _)| *name);
                let missing = missing.collect::<Vec<_>>().join(", ");
                Err(format!(
                    "missing programs: {missing}. They are looked for in PATH and in /usr/lib/postgresql/*/bin. On Debian \
                     the packages `postgresql` and `redis-server` have them."
                ))
            }
        }
    }
}

/// Where Debian has the programs of PostgreSQL, the newest version first.
fn debian() -> Vec<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let number = |entry: &fs::DirEntry| entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok());
    let mut versions: Vec<_> =
        versions.filter_map(|entry| Some((number(&entry)?, entry.path().join("bin")))).collect();
    versions.sort_unstable();
    versions.into_iter().rev().map(|(_, path)| path).collect()
}
