//! The temporary directory of a cluster.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// A directory that is deleted when it is dropped.
pub(crate) struct Directory(PathBuf);

impl Directory {
    /// Creates it. Others can enter it, because PostgreSQL can run as another user.
    ///
    /// # Errors
    /// If it cannot be created.
    pub(crate) fn create() -> io::Result<Self> {
        let mut random = [0; 4];
        getrandom::fill(&mut random)?;
        let path = std::env::temp_dir().join(format!("cluster-{:08x}", u32::from_le_bytes(random)));
        DirBuilder::new().mode(0o711).create(&path)?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Creates a directory in it that only this user can enter.
    ///
    /// # Errors
    /// If it cannot be created.
    pub(crate) fn create_private(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.0.join(name);
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // Nothing can be done about what remains.
        let _ = fs::remove_dir_all(&self.0);
    }
}
