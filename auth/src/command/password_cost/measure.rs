//! How long a password hash takes.

use crate::command::Failure;
use crate::command::progress::Progress;
use crate::config::{AuthConfig, ConfigError};
use crate::crypto::passwords::{PasswordPool, Passwords};
use crate::crypto::random;
use crate::values::Password;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) use crate::config::BCRYPT_COSTS;

/// How many hashes a measurement takes. The first one is not counted: its thread has just begun, and has no memory yet.
pub(super) const HASHES: f64 = 4.0;
const COUNTED: usize = 3;

/// A kind of hash.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Parameters {
    Bcrypt {
        cost: u32,
    },
    #[cfg(feature = "argon2")]
    Argon2id {
        /// In KiB.
        memory: u32,
        passes: u32,
    },
}

/// What a hash takes.
#[derive(Clone, Copy)]
pub(super) struct Measured {
    pub(super) parameters: Parameters,
    pub(super) time: Duration,
}

impl fmt::Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bcrypt { cost } => write!(f, "bcrypt, cost {cost}"),
            #[cfg(feature = "argon2")]
            Self::Argon2id { memory, passes: 1 } => write!(f, "Argon2id, {memory} KiB, 1 pass"),
            #[cfg(feature = "argon2")]
            Self::Argon2id { memory, passes } => write!(f, "Argon2id, {memory} KiB, {passes} passes"),
        }
    }
}

impl Parameters {
    /// The variables that select them.
    pub(super) fn variables(self) -> String {
        match self {
            Self::Bcrypt { cost } => format!("AUTH_BCRYPT_COST={cost}\n"),
            #[cfg(feature = "argon2")]
            Self::Argon2id { memory, passes } => {
                let most = if memory > DEFAULT_MEMORY_BOUND {
                    format!("AUTH_PASSWORD_MEMORY_KIB={memory}\n")
                } else {
                    String::new()
                };
                format!(
                    "AUTH_PASSWORD_HASH=argon2id\nAUTH_ARGON2_MEMORY_KIB={memory}\nAUTH_ARGON2_ITERATIONS={passes}\n\
                     AUTH_ARGON2_PARALLELISM=1\n{most}"
                )
            }
        }
    }

    /// How long a hash of the next cost takes, if there is one.
    pub(super) fn next_bcrypt(self, time: Duration) -> Option<Duration> {
        match self {
            Self::Bcrypt { cost } => (cost < *BCRYPT_COSTS.end()).then_some(time * 2),
            #[cfg(feature = "argon2")]
            Self::Argon2id { .. } => None,
        }
    }

    /// A host's configuration with them.
    fn config(self) -> Result<AuthConfig, Failure> {
        let secret = || random::bytes::<32>().map(|bytes| STANDARD.encode(bytes));
        let no_random = |error| Failure(format!("there are no random numbers: {error}"));
        let [jwt, refresh, encryption] =
            [secret().map_err(no_random)?, secret().map_err(no_random)?, secret().map_err(no_random)?];
        let builder = AuthConfig::builder(jwt, refresh, encryption);
        let builder = match self {
            Self::Bcrypt { cost } => builder.bcrypt_cost(cost),
            #[cfg(feature = "argon2")]
            Self::Argon2id { memory, passes } => builder
                .password_hash(crate::config::PasswordHash::Argon2id)
                .argon2_memory(memory)
                .argon2_iterations(passes)
                .password_memory(memory.max(DEFAULT_MEMORY_BOUND)),
        };
        builder.build().map_err(|error: ConfigError| Failure(error.to_string()))
    }
}

/// The default of the option `password_memory`.
#[cfg(feature = "argon2")]
const DEFAULT_MEMORY_BOUND: u32 = 131_072;

/// Measures a hash that is made as a host makes it: on a password thread, which has nothing else to do.
///
/// `remaining`: how long this measurement and those after it take, as far as it is known.
pub(super) async fn measure(
    parameters: Parameters,
    progress: &mut Progress,
    remaining: Duration,
) -> Result<Measured, Failure> {
    if !remaining.is_zero() {
        progress.expect(remaining);
    }
    let config = parameters.config()?;
    let (kept, implementation) = (config.kept_password_memory(), config.bcrypt_implementation);
    let pool = PasswordPool::start(NonZeroUsize::MIN, config.password_queue, implementation, kept);
    let passwords = Passwords::new(Arc::new(pool), config.password_scheme());
    let password = Password::to_check("correct horse battery staple".to_owned());
    let mut times = Vec::new();
    for number in 0..=COUNTED {
        progress.show(&parameters.to_string());
        let began = Instant::now();
        let hashed = passwords.rehash(&password).await;
        hashed.map_err(|error| Failure(format!("the password could not be hashed: {error}")))?;
        progress.advance(began.elapsed());
        if number > 0 {
            times.push(began.elapsed());
        }
    }
    times.sort_unstable();
    let time = times.get(COUNTED / 2).copied().unwrap_or_default();
    Ok(Measured { parameters, time })
}
