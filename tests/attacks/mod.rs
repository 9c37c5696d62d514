//! The attack suite: what an attacker would try against a host. It has one file for each family of attacks, so that an auditor can
//! read them one after the other.
//!
//! Attacks are data: a table of what is changed, and one loop that sends it to a [`Target`](target::Target). Beside each
//! table is a control: the same request without an attack, which must succeed, so that no attack is refused for another
//! reason than its own. When a test is over, its target is examined ([`finish`](target::Target::finish)).
//!
//! | family | what is attacked | rule |
//! |---|---|---|
//! | [`addresses`] | what counts as an e-mail address, and whose it is | RFC 5321; ASVS 6.3.1 |
//! | [`challenge`] | the step between the password and the second factor | ASVS 6.5.5, 6.6.3 |
//! | [`ciphertext`] | stored secrets that somebody has changed | ASVS 11.3.3 |
//! | [`configuration`] | options that are wrong or weak | ASVS 11.2.3 |
//! | [`enumeration`] | whether an address has an account | ASVS 6.3.8 |
//! | [`faults`] | what a provider that breaks leaves open | ASVS 16.5.3 |
//! | [`gone_users`] | what users had who are gone or inactive | ASVS 7.4.2 |
//! | [`held_back`] | requests whose body arrives after the end of their session | ASVS 7.4.1, 7.4.3 |
//! | [`input`] | bodies, headers and paths | RFC 8259; RFC 9457; ASVS 2.2.1 |
//! | [`jwt`] | headers, claims, signatures | RFC 8725; ASVS 9.1.1, 9.1.2, 9.2.1 |
//! | [`limits`] | the limits of attempts | ASVS 6.3.1 |
//! | [`links`] | verification links | ASVS 6.6.2 |
//! | [`passwords`] | what counts as the right password or as a new one | ASVS 6.2 |
//! | [`purpose_confusion`] | tokens at places where others belong | RFC 8725 §3.11; ASVS 9.2.2 |
//! | [`races`] | what may succeed once, many times at once | ASVS 6.5.1; RFC 6238 §5.2 |
//! | [`recovery_codes`] | recovery codes | ASVS 6.5.1 |
//! | [`reset`] | password resets | ASVS 6.4.3 |
//! | [`resources`] | the queue of password hashes | ASVS 6.3.1 |
//! | [`sessions`] | sessions that have ended, and those of others | RFC 9700 §4.14.2; ASVS 7.4 |
//! | [`totp`] | one-time codes | RFC 6238 §5.2; ASVS 6.5.1, 6.5.5 |

mod addresses;
mod challenge;
mod ciphertext;
mod configuration;
mod enumeration;
mod faults;
mod gone_users;
mod held_back;
mod input;
mod jwt;
mod limits;
mod links;
mod passwords;
mod purpose_confusion;
mod races;
mod recovery_codes;
mod reset;
mod resources;
mod sessions;
mod target;
mod totp;

/// The families, and how many attacks the tests of each make. Each test checks its own number.
const FAMILIES: [(&str, usize); 20] = [
    ("addresses", addresses::ATTACKS),
    ("challenge", challenge::ATTACKS),
    ("ciphertext", ciphertext::ATTACKS),
    ("configuration", configuration::ATTACKS),
    ("enumeration", enumeration::ATTACKS),
    ("faults", faults::ATTACKS),
    ("gone users", gone_users::ATTACKS),
    ("held back", held_back::ATTACKS),
    ("input", input::ATTACKS),
    ("JWT", jwt::ATTACKS),
    ("limits", limits::ATTACKS),
    ("links", links::ATTACKS),
    ("passwords", passwords::ATTACKS),
    ("purpose confusion", purpose_confusion::ATTACKS),
    ("races", races::ATTACKS),
    ("recovery codes", recovery_codes::ATTACKS),
    ("reset", reset::ATTACKS),
    ("resources", resources::ATTACKS),
    ("sessions", sessions::ATTACKS),
    ("TOTP", totp::ATTACKS),
];

#[test]
fn there_are_hundreds_of_attacks_and_some_in_each_family() {
    let few: Vec<_> = FAMILIES.iter().filter(|(_, attacks)| *attacks < 3).collect();
    assert!(few.is_empty(), "{few:?}");
    let all: usize = FAMILIES.iter().map(|(_, attacks)| attacks).sum();
    assert!(all >= 500, "{all}: {FAMILIES:?}");
}
