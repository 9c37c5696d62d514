//! Temporary directories, and the directory for what a run leaves behind.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// An empty directory, which is removed with its contents when it is dropped.
pub(crate) struct Directory(PathBuf);

impl Directory {
    pub(crate) fn new() -> Self {
        Self::below(env::temp_dir())
    }

    /// For a database, which waits for the disk with each write. On a disk that is busy with something else, that can take longer than
    /// an operation of the library's store may. So the directory is in memory, if the machine has such a place.
    pub(crate) fn for_database() -> Self {
        let memory = PathBuf::from("/dev/shm");
        Self::below(if memory.is_dir() { memory } else { env::temp_dir() })
    }

    fn below(base: PathBuf) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("chromium-tests-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = base.join(name);
        fs::create_dir(&path).expect("a directory that was not there");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A file among the artefacts of the run: `SCREENSHOTS`, or `target/screenshots` in the repository. Its directory exists.
pub(crate) fn artefact(name: &str) -> PathBuf {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let base =
        env::var_os("SCREENSHOTS").map_or_else(|| repository.join("target/screenshots"), PathBuf::from);
    let file = base.join(name);
    fs::create_dir_all(file.parent().expect("a file in a directory")).expect("a directory for the artefacts");
    file
}
