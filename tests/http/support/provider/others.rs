//! Providers that do not speak OpenID Connect: GitHub, and one with a profile of its own form.

use super::answers::{header, response};
use super::{Kind, Provider};
use axum::body::Bytes;
use axum::http::{Request, Response};
use serde_json::json;

impl Provider {
    pub(super) fn profile_of_another(&self, request: &Request<Bytes>, path: &str) -> Response<Bytes> {
        let Some(person) = self.bearer(request) else { return response(401, &json!({})) };
        let mut profile = match (self.0.kind, path) {
            // GitHub refuses requests without it.
            (Kind::GitHub, _) if header(request, "user-agent").is_empty() => {
                self.complain("no User-Agent".to_owned());
                return response(403, &json!({ "message": "Request forbidden by administrative rules." }));
            }
            (Kind::GitHub, "/user") => {
                // The public address, which says nothing about its owner.
                json!({ "id": person.subject, "login": "ada", "name": person.name, "email": person.email })
            }
            (Kind::GitHub, "/user/emails") => person.emails.unwrap_or_else(|| {
                json!([{ "email": person.email, "primary": true, "verified": person.email_verified, "visibility": null }])
            }),
            (Kind::OAuth2, "/profile") => {
                json!({ "id": person.subject, "mail": person.email, "proven": person.email_verified, "called": person.name })
            }
            _ => {
                self.complain(format!("there is no {path}"));
                return response(404, &json!({}));
            }
        };
        super::trouble::change(self.state().trouble.clone().userinfo.as_ref(), &mut profile);
        response(200, &profile)
    }
}
