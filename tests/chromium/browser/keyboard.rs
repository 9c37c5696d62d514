//! The keyboard, without regard to what is on the page.

use super::Browser;
use super::commands::role_and_name;
use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::key::Key;

/// More keystrokes than any page here has elements.
const MANY: usize = 200;

impl Browser {
    /// Presses Tab until the element with this name has the focus.
    pub(crate) async fn tab_to(&self, name: &str) {
        let mut passed = Vec::new();
        for _ in 0..MANY {
            self.press_key(Key::Tab).await;
            let focused = self.client.active_element().await.expect("something has the focus");
            let focused =
                role_and_name(&self.client, &focused).await.map(|(_, name)| name).unwrap_or_default();
            if focused == name {
                return;
            }
            passed.push(focused);
        }
        panic!("Tab does not lead to {name:?}, but to {passed:?}");
    }

    pub(crate) async fn press_key(&self, key: Key) {
        self.type_text(&char::from(key).to_string()).await;
    }

    /// Types into whatever has the focus.
    pub(crate) async fn type_text(&self, text: &str) {
        let press = |value| [KeyAction::Down { value }, KeyAction::Up { value }];
        let keys = text.chars().flat_map(press).fold(KeyActions::new("keyboard".into()), InputSource::then);
        self.client.perform_actions(keys).await.expect("keys can be pressed");
    }
}
