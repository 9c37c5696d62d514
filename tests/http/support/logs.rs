//! Everything that the library logs while the tests run.

use std::io::Write;
use std::sync::{Mutex, Once};

static LINES: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Records from now on, every level of every crate.
pub(crate) fn record() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        tracing_subscriber::fmt()
            .with_max_level(tracing::Level::TRACE)
            .with_ansi(false)
            .with_writer(|| Recorder)
            .init();
    });
}

/// All lines so far.
pub(crate) fn recorded() -> String {
    String::from_utf8_lossy(&LINES.lock().unwrap()).into_owned()
}

struct Recorder;

impl Write for Recorder {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        LINES.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
