//! A bar on a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

const WIDTH: u128 = 30;

/// The progress of a measurement, as a line on stderr that is rewritten. If stderr is no terminal, nothing is written.
pub(super) struct Progress {
    is_shown: bool,
    done: Duration,
    expected: Duration,
}

impl Progress {
    pub(super) fn new() -> Self {
        Self { is_shown: io::stderr().is_terminal(), done: Duration::ZERO, expected: Duration::ZERO }
    }

    /// How long everything that remains is expected to take.
    pub(super) fn expect(&mut self, remaining: Duration) {
        self.expected = self.done + remaining;
    }

    /// Something was done.
    pub(super) fn advance(&mut self, time: Duration) {
        self.done += time;
    }

    /// Shows what is done now.
    pub(super) fn show(&self, what: &str) {
        // The bar is of no use without a reader.
        let _unread = self.is_shown.then(|| write!(io::stderr(), "\r\x1b[2K{} {what}", self.bar()));
    }

    fn bar(&self) -> String {
        let filled = (self.done.as_micros() * WIDTH).checked_div(self.expected.as_micros());
        let filled = filled.map_or(0, |filled| usize::try_from(filled.min(WIDTH)).unwrap_or(0));
        let empty = usize::try_from(WIDTH).unwrap_or(0) - filled;
        format!("[{}{}]", "#".repeat(filled), "-".repeat(empty))
    }
}

/// Removes the bar.
impl Drop for Progress {
    fn drop(&mut self) {
        let _unread = self.is_shown.then(|| write!(io::stderr(), "\r\x1b[2K"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_is_as_long_as_what_is_done() {
        let mut progress = Progress { is_shown: false, done: Duration::ZERO, expected: Duration::ZERO };
        assert_eq!(progress.bar(), format!("[{}]", "-".repeat(30)));
        progress.advance(Duration::from_millis(100));
        progress.expect(Duration::from_millis(200));
        assert_eq!(progress.bar(), format!("[{}{}]", "#".repeat(10), "-".repeat(20)));
        progress.advance(Duration::from_millis(250));
        assert_eq!(progress.bar(), format!("[{}]", "#".repeat(30)));
    }
}
