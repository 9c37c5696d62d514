//! The end of a soak test: every account, every session and every row is looked at once more.

use super::account::{Account, TwoFactor};
use super::actor::Actor;
use super::history::Fact;
use axum_auth_module::BoxError;
use sqlx::Row;
use sqlx::postgres::PgConnection;
use std::collections::{HashMap, HashSet};

/// How much was compared.
#[derive(Default)]
pub(super) struct Compared {
    pub(super) accounts: usize,
    pub(super) alive: usize,
    pub(super) ended: usize,
    pub(super) rows: usize,
}

/// Logs in to every account, and uses every session on both instances. Accounts that do not exist are removed.
pub(super) async fn over_http(actor: &mut Actor, accounts: &mut Vec<Account>) {
    let mut existing = Vec::new();
    for mut account in accounts.drain(..) {
        if account.is_unknown && !actor.find_out(&mut account).await && !account.exists {
            continue;
        }
        if account.is_unknown {
            let detail = format!("{}: a login had no response although all servers run", account.email());
            actor.client.note(Fact::Contradiction { detail });
            continue;
        }
        actor.log_in(&mut account).await;
        for session in account.sessions.clone() {
            actor.see_alive(&account, &session).await;
        }
        for session in account.ended.clone() {
            actor.see_ended(&session).await;
        }
        existing.push(account);
    }
    *accounts = existing;
}

/// Compares what the clients know with the rows of the database.
///
/// # Errors
/// If the database fails.
pub(super) async fn with_the_database(
    actor: &Actor,
    accounts: &[Account],
    connection: &mut PgConnection,
) -> Result<Compared, BoxError> {
    let wrong = |detail: String| actor.client.note(Fact::Contradiction { detail });
    let users = sqlx::query("SELECT email, name, two_factor_confirmed_at IS NOT NULL FROM users");
    let users = users.fetch_all(&mut *connection).await?;
    let users: HashMap<String, (String, bool)> =
        users.iter().map(|row| (row.get(0), (row.get(1), row.get(2)))).collect();
    let sessions = sqlx::query("SELECT id FROM auth_sessions").fetch_all(connection).await?;
    let sessions: HashSet<String> = sessions.iter().map(|row| row.get(0)).collect();
    let mut compared =
        Compared { accounts: accounts.len(), rows: users.len() + sessions.len(), ..Compared::default() };

    for account in accounts {
        let email = account.email();
        match users.get(email) {
            None => wrong(format!("{email} has no row in the table of users")),
            Some((name, has_second_factor)) => {
                if account.name.as_ref().is_some_and(|known| known != name) {
                    wrong(format!("{email} has another name in the table of users"));
                }
                let is_known = !matches!(account.two_factor, TwoFactor::Unknown(_));
                if is_known && *has_second_factor != account.is_two_factor_on() {
                    wrong(format!(
                        "{email} has another state of two-factor authentication in the table of users"
                    ));
                }
            }
        }
        let alive: HashSet<_> = account.sessions.iter().map(|session| &session.id).collect();
        compared.alive += alive.len();
        for id in alive.iter().filter(|id| !sessions.contains(**id)) {
            wrong(format!("the session {id} of {email} has no row"));
        }
        let ended = account.ended.iter().filter(|session| !session.has_continued);
        let ended: HashSet<_> = ended.map(|session| &session.id).collect();
        compared.ended += ended.len();
        for id in ended.iter().filter(|id| sessions.contains(**id)) {
            wrong(format!("the session {id} of {email} has ended and still has a row"));
        }
    }
    // The account of `chaos`.
    let known: HashSet<_> = accounts.iter().map(Account::email).chain(["probe@example.com"]).collect();
    for email in users.keys().filter(|email| !known.contains(email.as_str())) {
        wrong(format!("nobody has registered {email}"));
    }
    Ok(compared)
}
