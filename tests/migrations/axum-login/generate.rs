//! Makes `database.sql` and `people.json` with the crate that the examples of axum-login hash passwords with. The README of the folder
//! above says how to run it.

use rand::distr::{Alphanumeric, SampleString};

fn main() -> std::io::Result<()> {
    // The table of the examples of axum-login, with the addresses that a site with mails has.
    let mut sql = "-- Written by generate.rs.\n\
        CREATE TABLE users (id integer PRIMARY KEY AUTOINCREMENT, username text NOT NULL UNIQUE, email text NOT NULL UNIQUE, \
        password text NOT NULL);\n"
        .to_owned();
    let mut people = Vec::new();
    for (username, email) in [("ada", "ada@example.com"), ("grace", "Grace@Example.com"), ("linus", "linus@example.com")] {
        let password = Alphanumeric.sample_string(&mut rand::rng(), 14);
        let hash = password_auth::generate_hash(&password);
        sql += &format!("INSERT INTO users (username, email, password) VALUES ('{username}', '{email}', '{hash}');\n");
        people.push(format!("    {{ \"email\": \"{email}\", \"password\": \"{password}\" }}"));
    }
    std::fs::write("database.sql", sql)?;
    std::fs::write("people.json", format!("{{\n  \"codes_at\": 1800000000,\n  \"people\": [\n{}\n  ]\n}}\n", people.join(",\n")))
}
