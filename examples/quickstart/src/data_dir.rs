//! The directory that holds what outlives the process: the database, the secrets and the mails.

use std::fs::{DirBuilder, File};
use std::io;
use std::path::PathBuf;

/// A directory that exists and can be written.
pub(crate) struct DataDir(PathBuf);

impl DataDir {
    /// Makes the directory when it is not there, for this user alone: there are password hashes in it.
    ///
    /// # Errors
    /// When it cannot be made, or nothing can be written into it.
    pub(crate) fn make(path: PathBuf) -> io::Result<Self> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        let data_dir = Self(path);
        data_dir.lock()?;
        Ok(data_dir)
    }

    /// The path of a file in the directory.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Waits until no other process is making something in here, and keeps others out until the answer is dropped:
    /// of two that start at once, one makes the secrets and the database, and the other one finds them.
    pub(crate) fn lock(&self) -> io::Result<File> {
        let file = File::options().create(true).append(true).open(self.file("lock"))?;
        file.lock()?;
        Ok(file)
    }
}
