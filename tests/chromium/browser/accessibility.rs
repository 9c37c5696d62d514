//! What axe-core says about a page. `AXE_CORE` names its file `axe.min.js`; `.ci/run` installs it. Without it nothing is
//! checked, which the variable `CI` does not allow.

use super::Browser;
use serde_json::Value;
use std::env;
use std::fs;
use std::sync::OnceLock;

/// axe-core's script, if there is one.
fn axe() -> Option<&'static str> {
    static AXE: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let Some(file) = env::var_os("AXE_CORE") else {
            assert!(env::var_os("CI").is_none(), "AXE_CORE must name axe-core's file `axe.min.js`");
            eprintln!(
                "skipped: accessibility is not checked, because AXE_CORE does not name a file `axe.min.js`"
            );
            return None;
        };
        Some(fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display())))
    };
    AXE.get_or_init(read).as_deref()
}

impl Browser {
    /// Panics if axe-core finds a serious or critical violation on the current page.
    pub(crate) async fn is_accessible(&self, page: &str) {
        let violations = self.violations().await.unwrap_or_default();
        let report = violations.iter().map(summary).collect::<String>();
        assert!(violations.is_empty(), "axe-core about {page}:\n{report}");
    }

    /// The serious and critical violations on the current page. `None` without axe-core.
    pub(crate) async fn violations(&self) -> Option<Vec<Value>> {
        self.script(axe()?, Vec::new()).await;
        let run = "const { violations } = await axe.run(document, { resultTypes: ['violations'] });
            return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));";
        let found = self.async_script(run, Vec::new()).await;
        Some(found["value"].as_array().unwrap_or_else(|| panic!("axe-core: {found}")).clone())
    }
}

fn summary(violation: &Value) -> String {
    let nodes = violation["nodes"].as_array().into_iter().flatten();
    let nodes = nodes.map(|node| format!("  {}\n    {}\n", node["html"], node["failureSummary"]));
    format!("{}: {}\n{}", violation["id"], violation["help"], nodes.collect::<String>())
}
