//! The hosts of `ui` that do not compile, with the compiler's messages.

use crate::suite;
use std::fs;
use std::path::Path;

/// The folders, each with a title.
pub(crate) const CATEGORIES: [(&str, &str); 5] = [
    ("missing_provider", "A feature lacks what it needs"),
    ("auth_user", "A struct is no user record"),
    ("auth_module", "Other mistakes in `auth_module!`"),
    ("sql", "Records that a database cannot store"),
    ("handlers", "What axum says and what it means"),
];

/// A host that does not compile.
pub(crate) struct Fixture {
    /// The file's name, which is a sentence.
    pub(crate) name: String,
    /// The path without its extension, from this package.
    pub(crate) path: String,
    /// The source.
    pub(crate) host: String,
    /// The compiler's messages.
    pub(crate) stderr: String,
}

impl Fixture {
    /// The first lines of the file, which describe it.
    pub(crate) fn about(&self) -> String {
        let lines = self.host.lines().map_while(|line| line.strip_prefix("//! "));
        lines.collect::<Vec<_>>().join(" ")
    }
}

/// Those of one folder, by name, with their current messages.
pub(crate) fn fixtures(category: &str) -> Vec<Fixture> {
    suite::messages_are_written();
    let folder = Path::new("ui").join(category);
    let paths = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut outputs: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "stderr")).collect();
    outputs.sort();
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    let fixture = |path: &std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let path_without_extension = format!("ui/{category}/{name}");
        Fixture {
            name,
            path: path_without_extension,
            host: read(&path.with_extension("rs")),
            stderr: read(path),
        }
    };
    outputs.iter().map(fixture).collect()
}

/// Those of all folders.
pub(crate) fn all() -> Vec<Fixture> {
    CATEGORIES.iter().flat_map(|(category, _)| fixtures(category)).collect()
}
