//! `check-config`: what is wrong with a configuration, and how it deviates from OWASP ASVS.

use super::{Failure, Outcome, env_file, print};
use crate::config::{AuthConfig, ConfigError, ConfigProblem};
use crate::features;
use crate::posture;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The options of `check-config`.
pub(super) struct Options {
    /// The file with the variables. Without one, they are those of the environment.
    pub(super) file: Option<PathBuf>,
}

/// What a host knows beside its configuration.
const UNKNOWN: &str = "\
Not in this list is what your host gives to the module: its policy, store, sessions, events and deliveries.
`AuthModule::posture()` has all, and so has the host's log at start-up, at the level debug.
";

pub(super) fn run(options: &Options) -> Result<Outcome, Failure> {
    let config = match &options.file {
        None => AuthConfig::from_env(),
        Some(path) => of_file(path)?,
    };
    let remark = options.file.as_deref().and_then(readable_by_others).unwrap_or_default();
    match config {
        Ok(config) => {
            print(&format!("The configuration is valid.\n{remark}\n{}", deviations(&config)))?;
            Ok(Outcome::Fine)
        }
        Err(error) => {
            print(&format!("{error}\n{remark}"))?;
            Ok(Outcome::Found)
        }
    }
}

fn of_file(path: &Path) -> Result<Result<AuthConfig, ConfigError>, Failure> {
    let file = env_file::read(path)?;
    let config = AuthConfig::from_all_variables(&file.variables);
    let ours = file.repeated.into_iter().filter(|name| name.starts_with("AUTH_"));
    let repeated = ours.map(|name| ConfigProblem {
        option: name.into(),
        message: "it is set more than once: some programs take the first value, others the last".to_owned(),
    });
    let problems: Vec<_> = config.as_ref().err().map(ConfigError::problems).unwrap_or_default().to_vec();
    Ok(ConfigError::check(problems.into_iter().chain(repeated).collect()).and(config))
}

/// A sentence about a file with secrets that other users of the machine can read.
fn readable_by_others(path: &Path) -> Option<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path).ok()?.permissions().mode() & 0o077;
        let path = path.display();
        (mode != 0).then(|| {
            format!("Other users of this machine can open {path}; `chmod 600 {path}` prevents it.\n")
        })
    }
    #[cfg(not(unix))]
    {
        let _permissions_are_unknown = path;
        None
    }
}

/// The deviations that the configuration alone decides.
fn deviations(config: &AuthConfig) -> String {
    let mut text = "How it deviates from OWASP ASVS 5.0:\n".to_owned();
    let list = |text: &mut String, found: Vec<posture::Deviation>| {
        for deviation in found {
            // A `String` can always be written.
            let _written = writeln!(text, "- {deviation}");
        }
    };
    list(&mut text, posture::of_settings(config));
    for (feature, found) in features::posture(config) {
        if !found.is_empty() {
            text += &format!("with the feature {}:\n", feature.word());
            list(&mut text, found);
        }
    }
    text + "\n" + UNKNOWN
}
