//! How a provider of the tests is broken.

use super::keys::Signature;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Changes a JSON document on its way out.
pub(super) type Change = Arc<dyn Fn(&mut Value) + Send + Sync>;
/// Changes the header and the claims of an ID token before they are signed.
pub(super) type ChangeToken = Arc<dyn Fn(&mut Value, &mut Value) + Send + Sync>;

/// What happens instead of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// There is no connection: the provider has received nothing.
    NotSent,
    /// The provider has received nothing, but nobody can know.
    Failed,
    /// The provider has done what it was asked, and the response is lost.
    FailedAfterwards,
    /// A response with this status, a JSON body, and no effect.
    Status(u16),
    /// A redirect to a place that would say yes.
    Redirect,
    /// The right body, with `Content-Encoding: gzip`.
    Encoded,
    /// One byte more than may be read.
    TooLong,
    /// A body that is no JSON.
    NotJson,
    /// JSON that is no object.
    NotAnObject,
    /// An empty body.
    Empty,
    /// JSON of a depth that no stack holds.
    Deep,
}

/// Everything that is broken at present.
#[derive(Clone, Default)]
pub(super) struct Trouble {
    pub(super) id_token: Option<ChangeToken>,
    pub(super) signature: Signature,
    pub(super) token_response: Option<Change>,
    pub(super) metadata: Option<Change>,
    pub(super) keys: Option<Change>,
    pub(super) userinfo: Option<Change>,
    /// By the end of the path.
    pub(super) faults: BTreeMap<&'static str, Fault>,
    pub(super) is_down: Option<Fault>,
}

impl Trouble {
    pub(super) fn at(&self, path: &str) -> Option<Fault> {
        let at_path = self.faults.iter().find(|(end, _)| path.ends_with(**end)).map(|(_, fault)| *fault);
        self.is_down.or(at_path)
    }
}

pub(super) fn change(change: Option<&Change>, document: &mut Value) {
    if let Some(change) = change {
        change(document);
    }
}
