//! Changes of the profile.

use crate::soak::account::Account;
use crate::soak::actor::Actor;
use crate::soak::client::{Call, Outcome};
use serde_json::json;

impl Actor {
    /// Changes the name, and sometimes the address.
    pub(in crate::soak) async fn change_profile(&mut self, account: &mut Account) {
        let Some(session) = self.any_session(account) else { return };
        let name = self.new_name();
        let email =
            if self.random.one_in(3) { format!("{name}@example.com") } else { account.email().to_owned() };
        let body = json!({ "name": name, "email": email });
        match self.client.send(Call::put("/auth/user/profile-information", body).token(&session.access)).await
        {
            Outcome::Done(_) => {
                account.name = Some(name);
                account.emails = vec![email];
            }
            Outcome::Refused(_) => {}
            Outcome::Unknown => {
                account.name = None;
                account.emails.push(email);
                account.emails.dedup();
                account.is_unknown = true;
            }
        }
    }
}
