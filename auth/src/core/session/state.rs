//! What the library stores in the column `state` of a session, and the MAC that protects it (specification §11.2).

use super::cookie_numbers::CookieNumbers;
use super::rotation::Rotation;
use crate::crypto::keys::MacKey;
use crate::crypto::ring::KeyRing;
use crate::error::AuthError;
use crate::repository::{SessionRecord, SessionState};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// The version of the format. A state of another version counts as no session.
const VERSION: u32 = 1;

/// The length of most states, with room for the last uses of refresh tokens.
const LENGTH: usize = 768;

/// How many previous marks of credentials are kept.
const PREVIOUS: usize = 4;

/// The contents of the column `state`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    v: u32,
    /// The module to which the session belongs.
    pub(super) realm: String,
    /// The mark of the credentials under which the session continues.
    #[serde(rename = "gen")]
    generation: String,
    /// Previous marks that are still valid, the newest first.
    was: Vec<String>,
    /// Which of these marks are of changes of the credentials that are under way, the newest first. The other ones are of the
    /// same credentials, whose password was only hashed again.
    #[serde(default, rename = "chg", skip_serializing_if = "Vec::is_empty")]
    changing: Vec<String>,
    /// Tokens that were issued earlier are invalid, in Unix seconds. Credentials can return to what they were, and their
    /// mark with them.
    pub(super) since: u64,
    #[serde(rename = "rot")]
    pub(super) rotation: Rotation,
    /// How the user signed in (RFC 8176).
    pub(super) amr: Vec<String>,
    /// When the user signed in, in Unix seconds.
    pub(super) auth: u64,
    /// What was confirmed in this session, and when, in Unix seconds.
    ok: Vec<(String, u64)>,
    /// Which cookies are valid, in a browser session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cookie: Option<CookieNumbers>,
    /// Whether the session outlives the browser's own.
    #[serde(default, rename = "rem", skip_serializing_if = "is_false")]
    pub(super) remembered: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

impl State {
    /// The state of a session that starts now.
    pub(super) fn new(realm: &str, generation: String, amr: &[&str], now: u64) -> Self {
        Self {
            v: VERSION,
            realm: realm.to_owned(),
            generation,
            was: Vec::new(),
            changing: Vec::new(),
            since: now,
            rotation: Rotation::default(),
            amr: amr.iter().map(|&method| method.to_owned()).collect(),
            auth: now,
            ok: Vec::new(),
            cookie: None,
            remembered: false,
        }
    }

    /// The same for a browser session.
    pub(super) fn in_cookie(self, remembered: bool) -> Self {
        Self { cookie: Some(CookieNumbers::default()), remembered, ..self }
    }

    /// Whether a token or a record with this mark of credentials belongs to the session.
    pub(super) fn accepts(&self, generation: &str) -> bool {
        let equals = |known: &String| bool::from(known.as_bytes().ct_eq(generation.as_bytes()));
        equals(&self.generation) || self.was.iter().any(equals)
    }

    /// Changes the mark and keeps the previous one. Returns whether the mark is another one.
    pub(super) fn move_to(&mut self, generation: String) -> bool {
        let before = std::mem::replace(&mut self.generation, generation);
        let is_moved = before != self.generation;
        if is_moved {
            self.was.retain(|known| *known != self.generation);
            self.was.insert(0, before);
            self.was.truncate(PREVIOUS);
        }
        is_moved
    }

    /// The same for the mark that credentials will have which are about to be changed.
    pub(super) fn begin_change(&mut self, generation: String) -> bool {
        let is_moved = self.move_to(generation);
        if is_moved {
            self.changing.insert(0, self.generation.clone());
            self.changing.truncate(PREVIOUS + 1);
        }
        is_moved
    }

    /// Whether `now` has the same credentials as `before`, whose password was only hashed again.
    pub(super) fn was_only_hashed_again(&self, before: &KeyRing<String>, now: &KeyRing<String>) -> bool {
        let is_changing = now.any(|mark| self.changing.contains(mark));
        !is_changing && before.any(|mark| self.accepts(mark)) && now.any(|mark| self.accepts(mark))
    }

    /// Adds the current mark of these credentials beside the one that the state has of them, which may have been made with
    /// a previous key. The credentials that the session accepts stay the same.
    pub(super) fn renew(&mut self, marks: &KeyRing<String>) {
        if self.accepts(marks.current()) {
            return;
        }
        let belongs = |known: &String| marks.any(|mark| mark == known);
        if belongs(&self.generation) {
            self.move_to(marks.current().clone());
        } else if let Some(at) = self.was.iter().position(belongs) {
            self.was.insert(at, marks.current().clone());
            self.was.truncate(PREVIOUS);
        }
    }

    /// Takes a change of the mark back. Returns whether there was anything to take back.
    pub(super) fn move_back(&mut self, generation: &str) -> bool {
        self.changing.retain(|known| known != generation);
        if self.generation == generation && !self.was.is_empty() {
            self.generation = self.was.remove(0);
            return true;
        }
        let count = self.was.len();
        self.was.retain(|known| known != generation);
        self.was.len() < count
    }

    /// Makes this the only mark, for tokens that are issued from now on. Returns the number of the only valid cookie, if it
    /// is a browser session.
    pub(super) fn settle(&mut self, generation: String, now: u64) -> Option<u64> {
        self.generation = generation;
        self.was.clear();
        self.changing.clear();
        self.since = self.since.max(now);
        self.cookie.as_mut().map(CookieNumbers::replace_all)
    }

    /// When this method was confirmed in the session, in Unix seconds.
    pub(super) fn confirmed_at(&self, method: &str) -> Option<u64> {
        self.ok.iter().find(|(confirmed, _)| confirmed == method).map(|(_, at)| *at)
    }

    /// Records that these methods were confirmed. Returns the number of the cookie that has it, if it is a browser session.
    pub(super) fn confirm(&mut self, methods: &[&str], at: u64) -> Option<u64> {
        self.ok.retain(|(confirmed, _)| !methods.contains(&confirmed.as_str()));
        self.ok.extend(methods.iter().map(|&method| (method.to_owned(), at)));
        self.cookie.as_mut().map(CookieNumbers::replace)
    }

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
        (state.v == VERSION).then_some(state)
    }
}

/// Writes and reads the column `state` with the keys of one module.
#[derive(Clone)]
pub(super) struct Seal(Arc<KeyRing<MacKey>>);

/// A state that was written or verified with these keys, and what its MAC covers beside the text.
struct Verified {
    keys: Arc<KeyRing<MacKey>>,
    id: String,
    user_id: String,
    state: Arc<State>,
}

impl Seal {
    pub(super) fn new(keys: KeyRing<MacKey>) -> Self {
        Self(Arc::new(keys))
    }

    /// The text of a state for the row with this id.
    pub(super) fn seal(
        &self,
        state: &Arc<State>,
        id: &str,
        user_id: &str,
    ) -> Result<SessionState, AuthError> {
        state.seal(id, user_id, self.0.current()).map(Into::into)
    }

    /// The state of a row, if it was sealed with one of the keys. A row that stays in memory is verified once.
    pub(super) fn open(&self, row: &SessionRecord) -> Option<Arc<State>> {
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
    pub(super) fn keep(&self, text: &SessionState, state: &Arc<State>, id: &str, user_id: &str) {
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
        let mut state = State::new("auth", "new".to_owned(), &["pwd"], 1_795_000_000);
        state.move_to("newer".to_owned());
        state.confirm(&["pwd"], 1_795_000_060);
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

    /// The ring of a mark that was made with the key `new` and, before that, with `old`.
    fn marks(credentials: &str) -> KeyRing<String> {
        KeyRing::new(format!("new {credentials}"), vec![format!("old {credentials}")])
    }

    fn with_marks(generation: &str, was: &[&str]) -> State {
        let mut state = State::new("auth", generation.to_owned(), &["pwd"], 0);
        state.was = was.iter().map(|&mark| mark.to_owned()).collect();
        state
    }

    #[test]
    fn a_mark_of_a_previous_key_gets_the_current_one_beside_it() {
        let renewed = |generation, was| {
            let mut state = with_marks(generation, was);
            state.renew(&marks("1"));
            (state.generation, state.was)
        };
        let state = |generation: &str, was: &[&str]| {
            (generation.to_owned(), was.iter().map(|&mark| mark.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(renewed("old 1", &["old 0"]), state("new 1", &["old 1", "old 0"]));
        // A change of the credentials is under way, or a renewed hash was not saved.
        assert_eq!(renewed("new 2", &["old 1", "old 0"]), state("new 2", &["new 1", "old 1", "old 0"]));
        let full = ["old 0", "x", "y", "old 1"];
        assert_eq!(renewed("new 2", &full), state("new 2", &["old 0", "x", "y", "new 1"]));
        for (generation, was) in [
            // The current mark is there already.
            ("new 1", ["old 1"].as_slice()),
            ("old 1", &["new 1"]),
            // These credentials are not accepted, and remain so.
            ("old 2", &["old 0"]),
            ("new 2", &[]),
        ] {
            assert_eq!(renewed(generation, was), state(generation, was));
        }
    }

    #[test]
    fn four_previous_marks_are_kept_and_the_newest_is_first() {
        let mut state = State::new("auth", "0".to_owned(), &["pwd"], 0);
        for number in 1..=6 {
            state.move_to(number.to_string());
        }
        assert_eq!(state.was, ["5", "4", "3", "2"]);
        assert!(state.accepts("6") && state.accepts("2") && !state.accepts("1"));
        state.settle("7".to_owned(), 9);
        assert!(state.accepts("7") && !state.accepts("6") && state.since == 9);
    }

    #[test]
    fn a_change_that_is_under_way_or_done_is_no_renewed_hash() {
        let was_only_hashed_again = |state: &State| state.was_only_hashed_again(&marks("0"), &marks("1"));
        let before = with_marks("new 0", &[]);
        assert!(!was_only_hashed_again(&before), "these credentials are not accepted");
        let mut hashed_again = before.clone();
        hashed_again.move_to("new 1".to_owned());
        assert!(was_only_hashed_again(&hashed_again));
        let mut changing = before;
        changing.begin_change("new 1".to_owned());
        assert!(!was_only_hashed_again(&changing));
        // Another change that has begun meanwhile, and was taken back.
        changing.begin_change("new 2".to_owned());
        assert!(changing.move_back("new 2") && !was_only_hashed_again(&changing));
        changing.settle("new 1".to_owned(), 9);
        assert!(!was_only_hashed_again(&changing), "the credentials of before are not accepted");
    }

    #[test]
    fn a_state_is_at_most_2_kib() {
        let mark = "m".repeat(43);
        let mut state = State::new(&"r".repeat(64), mark.clone(), &["pwd", "otp", "mfa"], u64::MAX);
        for number in 0..9 {
            state.begin_change(mark.replacen('m', &number.to_string(), 1));
        }
        for method in ["pwd", "otp", "rec"] {
            state.confirm(&[method], u64::MAX);
        }
        state.rotation = Rotation::full();
        assert!(state.seal("id", "7", keys().current()).unwrap().len() <= 2048);
    }
}
