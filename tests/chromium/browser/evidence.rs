//! What a failed test leaves behind: `failures/<test>.png`, `.html` and `.txt` among the artefacts of the run, with the
//! address, the console and the text of the current tab.

use super::Browser;
use super::commands::console;
use super::directory::artefact;
use futures_util::FutureExt;
use std::fs;
use std::panic::AssertUnwindSafe;
use std::thread;

impl Browser {
    /// Keeps what the current tab shows, for the test that runs on this thread.
    pub(super) async fn keep_evidence(&self) {
        let test = thread::current().name().unwrap_or("unknown").replace("::", "-");
        let name = |extension: &str| artefact(&format!("failures/{test}.{extension}"));
        // The test may have failed because the browser crashed, so none of this can be relied on.
        let kept = AssertUnwindSafe(async {
            let picture = self.client.screenshot().await.expect("a picture");
            fs::write(name("png"), picture).expect("a file");
            fs::write(name("html"), self.client.source().await.expect("the page")).expect("a file");
            let console = console(&self.client).await.join("\n");
            let text = format!("{}\n\n{console}\n\n{}\n", self.address().await, self.page().text().await);
            fs::write(name("txt"), text).expect("a file");
        });
        let kept = match kept.catch_unwind().await {
            Ok(()) => "is kept",
            Err(_) => "could not be kept completely",
        };
        eprintln!("what the browser showed {kept}: {}", name("png").with_extension("*").display());
    }
}
