//! Everything that the library logs while the tests run.

use std::io::Write;
use std::sync::{Arc, LazyLock, Mutex, Once};
use tracing::Level;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

static LINES: LazyLock<Lines> = LazyLock::new(Lines::default);

/// Records every level of the library from now on. The lines of other crates, such as the HTTP client of these tests, are gigabytes.
pub(crate) fn record() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let lines = fmt::layer().with_ansi(false).with_writer(|| Recorder(Lines::clone(&LINES)));
        let of_the_library = Targets::new().with_target("axum_auth_module", Level::TRACE);
        tracing_subscriber::registry().with(lines).with(of_the_library).init();
    });
}

/// What this thread logs, until it is dropped. Everything that runs in a test's own runtime does so on the test's thread.
pub(crate) struct OfThisThread {
    lines: Lines,
    _subscriber: DefaultGuard,
}

impl OfThisThread {
    /// As a host logs that chooses no level.
    pub(crate) fn record() -> Self {
        Self::record_at(Level::INFO)
    }

    pub(crate) fn record_at(level: Level) -> Self {
        let lines = Lines::default();
        let recorded = Lines::clone(&lines);
        let recorder = move || Recorder(Lines::clone(&recorded));
        let subscriber =
            tracing_subscriber::fmt().with_max_level(level).with_ansi(false).with_writer(recorder).finish();
        Self { lines, _subscriber: tracing::subscriber::set_default(subscriber) }
    }

    /// The lines so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        String::from_utf8_lossy(&self.lines.lock().unwrap()).lines().map(str::to_owned).collect()
    }

    /// How many lines so far contain this text.
    pub(crate) fn lines_with(&self, text: &str) -> usize {
        self.lines().iter().filter(|line| line.contains(text)).count()
    }
}

/// All lines so far.
pub(crate) fn recorded() -> String {
    recorded_since(0)
}

/// The length of all lines so far, for [`recorded_since`].
pub(crate) fn length() -> usize {
    LINES.lock().unwrap().len()
}

/// The lines after the first so many bytes.
pub(crate) fn recorded_since(length: usize) -> String {
    String::from_utf8_lossy(&LINES.lock().unwrap()[length..]).into_owned()
}

type Lines = Arc<Mutex<Vec<u8>>>;

struct Recorder(Lines);

impl Write for Recorder {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
