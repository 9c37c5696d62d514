//! The directory of the database, the secrets and the mails.

use std::fs::{DirBuilder, File};
use std::io;
use std::path::PathBuf;

/// A directory that exists and is writable.
pub(crate) struct DataDir(PathBuf);

impl DataDir {
    /// Creates the directory if it is missing, readable only by this user: it has password hashes.
    ///
    /// # Errors
    /// If it cannot be created or written.
    pub(crate) fn make(path: PathBuf) -> io::Result<Self> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        let data_dir = Self(path);
        #[cfg(unix)]
        data_dir.warn_if_open()?;
        data_dir.lock()?;
        Ok(data_dir)
    }

    /// A directory that was there before keeps its permissions.
    #[cfg(unix)]
    fn warn_if_open(&self) -> io::Result<()> {
        let mode = std::os::unix::fs::PermissionsExt::mode(&self.0.metadata()?.permissions());
        if mode & 0o077 != 0 {
            tracing::warn!(
                "other users of this machine can read DATA_DIR, which has password hashes; `chmod 700` it"
            );
        }
        Ok(())
    }

    /// The path of a file in the directory.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Locks the directory against other processes until the returned file is dropped. Of two processes that start at
    /// once, one creates the secrets and the database, and the other uses them.
    pub(crate) fn lock(&self) -> io::Result<File> {
        let file = File::options().create(true).append(true).open(self.file("lock"))?;
        file.lock()?;
        Ok(file)
    }
}
