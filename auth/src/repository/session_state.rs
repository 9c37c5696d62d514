//! The text that the library stores with a session.

use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A text of up to 2 KiB of ASCII that only the library reads. A MAC protects it.
///
/// A repository stores the text and makes an equal state from it again: `SessionState::from(text)`. One in the memory of the process can
/// keep the value itself. Clones share the text, and they share what the library has read in it: the MAC of a session that is kept
/// in memory is verified once.
///
/// ```
/// use axum_auth_module::repository::SessionState;
///
/// let state = SessionState::from("a text".to_owned());
/// assert_eq!(state.as_str(), "a text");
/// assert_eq!(state, SessionState::from("a text"));
/// ```
#[derive(Clone)]
pub struct SessionState(Arc<Shared>);

struct Shared {
    text: String,
    read: OnceLock<Box<dyn Any + Send + Sync>>,
}

impl SessionState {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// What the library has read in the text, if it is of this type.
    pub(crate) fn read<T: 'static>(&self) -> Option<&T> {
        self.0.read.get()?.downcast_ref()
    }

    /// Keeps what the library has read in the text for all clones. The first value is kept.
    pub(crate) fn keep<T: Send + Sync + 'static>(&self, read: impl FnOnce() -> T) {
        // A value without a clone was made for this request alone: nobody would ask for it again.
        if Arc::strong_count(&self.0) > 1 {
            self.0.read.get_or_init(|| Box::new(read()));
        }
    }
}

impl From<String> for SessionState {
    fn from(text: String) -> Self {
        Self(Arc::new(Shared { text, read: OnceLock::new() }))
    }
}

impl From<&str> for SessionState {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Deref for SessionState {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

/// States are equal if their texts are.
impl PartialEq for SessionState {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.as_str() == other.as_str()
    }
}

impl Eq for SessionState {}

/// Does not show the text.
impl fmt::Debug for SessionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionState").finish_non_exhaustive()
    }
}
