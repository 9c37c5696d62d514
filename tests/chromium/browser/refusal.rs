//! The refusal of a route that requires proofs of the last five minutes, for which no test waits.

use super::Browser;
use serde_json::json;

impl Browser {
    /// Has the scripts of the current page get this refusal once, in place of the response of this path. All other requests
    /// reach the host, so what the user proves then is real.
    pub(crate) async fn refuse_once(&self, path: &str) {
        let replace = "const [path, problem] = arguments;
            const send = window.fetch;
            window.fetch = (input, init) => {
                if (new URL(input.url ?? input, document.baseURI).pathname !== path) return send(input, init);
                window.fetch = send;
                const headers = { 'content-type': 'application/problem+json' };
                return Promise.resolve(new Response(JSON.stringify(problem), { status: 401, headers }));
            };";
        let problem = json!({
            "code": "insufficient_user_authentication",
            "detail": "This needs a stronger or more recent authentication.",
            "acrValues": ["aal2", "phr"],
            "maxAge": 300,
            "methods": ["password", "two_factor"],
        });
        self.script(replace, vec![json!(path), problem]).await;
    }
}
