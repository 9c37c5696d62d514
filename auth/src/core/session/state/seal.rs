//! The text in the column `state`, and the MAC that protects it (specification §11.2).

use super::State;
use crate::crypto::keys::MacKey;
use crate::crypto::ring::KeyRing;
use crate::error::AuthError;
use crate::repository::{SessionRecord, SessionState};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// The length of most states, with room for the last uses of refresh tokens.
const LENGTH: usize = 768;

impl State {
    /// The text for the column. Its last member is the MAC of everything before it, of the session's id and of the
    /// user's id, so that a state is worthless in another row.
    fn seal(&self, id: &str, user_id: &str, key: &MacKey) -> Result<String, AuthError> {
        let mut json = Vec::with_capacity(LENGTH);
        serde_json::to_writer(&mut json, self).map_err(AuthError::internal)?;
        let json = String::from_utf8(json).map_err(AuthError::internal)?;
        let members = json.strip_suffix('}').unwrap_or(&json);
        let mac = mac(id, user_id, members, key);
        Ok([members, ",\"mac\":\"", &mac, "\"}"].concat())
    }

    /// The state of a row, if the MAC was made with one of the keys and the version is known.
    fn open(row: &SessionRecord, keys: &KeyRing<MacKey>) -> Option<Self> {
        let (members, found) = row.state.strip_suffix("\"}")?.rsplit_once(",\"mac\":\"")?;
        let is_valid = |key: &MacKey| {
            let expected = mac(&row.id, &row.user_id, members, key);
            bool::from(expected.as_bytes().ct_eq(found.as_bytes()))
        };
        if !keys.any(is_valid) {
            return None;
        }
        let state: Self = serde_json::from_str(&row.state).ok()?;
        state.has_known_version().then_some(state)
    }
}

/// Writes and reads the column `state` with the keys of one module.
#[derive(Clone)]
pub(in crate::core::session) struct Seal(Arc<KeyRing<MacKey>>);

/// A state that was written or verified with these keys, and what its MAC covers beside the text.
struct Verified {
    keys: Arc<KeyRing<MacKey>>,
    id: String,
    user_id: String,
    state: Arc<State>,
}

impl Seal {
    pub(in crate::core::session) fn new(keys: KeyRing<MacKey>) -> Self {
        Self(Arc::new(keys))
    }

    /// The text of a state for the row with this id.
    pub(in crate::core::session) fn seal(
        &self,
        state: &Arc<State>,
        id: &str,
        user_id: &str,
    ) -> Result<SessionState, AuthError> {
        state.seal(id, user_id, self.0.current()).map(Into::into)
    }

    /// The state of a row, if it was sealed with one of the keys. A row that stays in memory is verified once.
    pub(in crate::core::session) fn open(&self, row: &SessionRecord) -> Option<Arc<State>> {
        if let Some(verified) = row.state.read::<Verified>()
            && Arc::ptr_eq(&verified.keys, &self.0)
            && (&verified.id, &verified.user_id) == (&row.id, &row.user_id)
        {
            return Some(Arc::clone(&verified.state));
        }
        let state = Arc::new(State::open(row, &self.0)?);
        self.keep(&row.state, &state, &row.id, &row.user_id);
        Some(state)
    }

    /// Keeps the state with its text, for a row that stays in memory.
    pub(in crate::core::session) fn keep(
        &self,
        text: &SessionState,
        state: &Arc<State>,
        id: &str,
        user_id: &str,
    ) {
        text.keep(|| Verified {
            keys: Arc::clone(&self.0),
            id: id.to_owned(),
            user_id: user_id.to_owned(),
            state: Arc::clone(state),
        });
    }
}

fn mac(id: &str, user_id: &str, members: &str, key: &MacKey) -> String {
    URL_SAFE_NO_PAD.encode(key.mac(&[id.as_bytes(), user_id.as_bytes(), members.as_bytes()]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::session::rotation::Rotation;
    use crate::core::{Method, Methods};
    use crate::crypto::keys::{Purpose, Secret};
    use crate::repository::SessionKind;
    use std::time::UNIX_EPOCH;

    fn secret(byte: u8) -> Secret {
        Secret::new(vec![byte; 32])
    }

    fn keys() -> KeyRing<MacKey> {
        KeyRing::new(secret(7), Vec::new()).derive(Purpose::SessionState)
    }

    fn row(id: &str, user: &str, state: &str) -> SessionRecord {
        SessionRecord::new(id, user, SessionKind::Bearer, state, UNIX_EPOCH, UNIX_EPOCH)
    }

    fn state() -> State {
        let mut state = State::new("auth", "new".to_owned(), Methods::of(Method::Password), 1_795_000_000);
        state.move_to("newer".to_owned());
        state.confirm(Methods::of(Method::Password), 1_795_000_060);
        state
    }

    /// A golden text: a state that was stored by an earlier release must stay readable.
    #[test]
    fn the_format_is_frozen() {
        let sealed = state().seal("id", "7", keys().current()).unwrap();
        let golden = "{\"v\":1,\"realm\":\"auth\",\"gen\":\"newer\",\"was\":[\"new\"],\"since\":1795000000,\
            \"rot\":{\"next\":0,\"recent\":[]},\"amr\":[\"pwd\"],\"auth\":1795000000,\"ok\":[[\"pwd\",1795000060]],\
            \"mac\":\"xySBqETUQRGLxwS25rNtKbQi_YR8z-_ECzR4dNKzt0o\"}";
        assert_eq!(sealed, golden);
        assert_eq!(State::open(&row("id", "7", golden), &keys()), Some(state()));
    }

    #[test]
    fn a_state_that_was_changed_or_moved_counts_as_none() {
        let sealed = state().seal("id", "7", keys().current()).unwrap();
        assert!(State::open(&row("id", "7", &sealed), &keys()).is_some());
        for other in [row("id2", "7", &sealed), row("id", "8", &sealed)] {
            assert!(State::open(&other, &keys()).is_none());
        }
        for changed in [
            sealed.replace("newer", "older"),
            sealed.replace("\"v\":1", "\"v\":2"),
            sealed.replace(",\"mac\":\"", ",\"mac\":\"x"),
            format!("{sealed} "),
            sealed.replacen('{', "{\"mac\":\"\",", 1),
            "{}".to_owned(),
            String::new(),
            "x".repeat(1 << 20),
        ] {
            assert!(State::open(&row("id", "7", &changed), &keys()).is_none(), "{changed}");
        }
        let ring = |current, previous: &[u8]| {
            let previous = previous.iter().copied().map(secret).collect();
            KeyRing::new(secret(current), previous).derive(Purpose::SessionState)
        };
        for (keys, opens) in [
            (ring(8, &[]), false),
            (ring(8, &[9, 7]), true),
            (ring(7, &[8]), true),
            (ring(8, &[9, 10]), false),
        ] {
            assert_eq!(State::open(&row("id", "7", &sealed), &keys).is_some(), opens);
        }
    }

    /// A row that stays in memory is verified once, by each module with its own keys.
    #[test]
    fn what_was_read_counts_for_the_same_row_and_keys_only() {
        let (own, equal) = (Seal::new(keys()), Seal::new(keys()));
        let foreign = Seal::new(KeyRing::new(secret(8), Vec::new()).derive(Purpose::SessionState));
        let sealed = own.seal(&Arc::new(state()), "id", "7").unwrap();
        let stored = SessionRecord { state: sealed.clone(), ..row("id", "7", "") };
        let of = |id: &str, user: &str| SessionRecord { state: sealed.clone(), ..row(id, user, "") };
        assert!(foreign.open(&stored).is_none() && sealed.read::<Verified>().is_none());
        let first = own.open(&stored).unwrap();
        assert_eq!(*first, state());
        // Verified once: the same value.
        assert!(Arc::ptr_eq(&first, &own.open(&of("id", "7")).unwrap()));
        assert_eq!(equal.open(&stored).as_deref(), Some(&state()));
        assert!(foreign.open(&stored).is_none());
        for other in [of("id2", "7"), of("id", "8")] {
            assert!(own.open(&other).is_none());
        }
        // A text that nobody else has is not worth keeping.
        let alone = SessionRecord { state: sealed.as_str().into(), ..row("id", "7", "") };
        assert!(own.open(&alone).is_some() && alone.state.read::<Verified>().is_none());
    }

    /// A release that knows no impersonation would take the session for one of its user, so the version is another one.
    #[test]
    fn the_version_says_whether_somebody_acts_for_the_user() {
        let impersonated = state().impersonated_by(Some("admin".into()));
        let sealed = impersonated.seal("id", "7", keys().current()).unwrap();
        assert!(sealed.starts_with("{\"v\":2,") && sealed.contains(",\"act\":\"admin\","), "{sealed}");
        assert_eq!(State::open(&row("id", "7", &sealed), &keys()), Some(impersonated.clone()));
        for mixed in [State { v: 1, ..impersonated }, State { v: 2, ..state() }, State { v: 3, ..state() }] {
            let sealed = mixed.seal("id", "7", keys().current()).unwrap();
            assert!(State::open(&row("id", "7", &sealed), &keys()).is_none(), "{sealed}");
        }
    }

    #[test]
    fn a_state_is_at_most_2_kib() {
        let mark = "m".repeat(43);
        let full = |methods: Methods| {
            let mut state = State::new(&"r".repeat(64), mark.clone(), methods, u64::MAX);
            for number in 0..9 {
                state.begin_change(mark.replacen('m', &number.to_string(), 1), u64::MAX);
            }
            state.rotation = Rotation::full();
            state
        };
        let mut own = full(Methods::from_iter([Method::Password, Method::OneTimeCode]))
            .on_device(Some(&"d".repeat(22)));
        for method in Method::ALL {
            own.confirm(Methods::of(*method), u64::MAX);
        }
        // Nothing is proven and nothing confirmed in it.
        let impersonated = full(Methods::default()).impersonated_by(Some("🦀".repeat(100)));
        for state in [own, impersonated] {
            assert!(state.seal("id", "7", keys().current()).unwrap().len() <= 2048);
        }
    }
}
