use super::*;
use futures_util::future::join_all;
use std::num::NonZeroUsize;

fn passwords(implementation: BcryptImplementation) -> Passwords {
    let pool = PasswordPool::start(NonZeroUsize::MIN, 64, implementation, 0);
    Passwords::new(Arc::new(pool), Scheme::new(NewHash::Bcrypt { cost: 5 }, 5, 1024))
}

/// The verdict of both implementations.
async fn verdict(password: &str, hash: Option<String>) -> Verdict {
    let password = Password::to_check(password.to_owned());
    let verdicts = [BcryptImplementation::Interleaved, BcryptImplementation::Crate].map(|implementation| {
        let (passwords, password, hash) = (passwords(implementation), &password, hash.as_deref());
        async move { passwords.verify(password, hash).await.unwrap() }
    });
    let [interleaved, by_crate] = join_all(verdicts).await.try_into().unwrap();
    assert_eq!(interleaved, by_crate);
    interleaved
}

fn hash(password: &str, cost: u32) -> Option<String> {
    Some(::bcrypt::hash(password, cost).unwrap())
}

#[tokio::test]
async fn a_new_hash_is_one_of_the_crate() {
    for implementation in [BcryptImplementation::Interleaved, BcryptImplementation::Crate] {
        let passwords = passwords(implementation);
        for text in ["secret", "x", "ä€", &"x".repeat(72)] {
            let password = Password::to_check(text.to_owned());
            let hash = passwords.rehash(&password).await.unwrap();
            assert!(hash.starts_with("$2b$05$") && ::bcrypt::verify(text, &hash).unwrap());
            assert_ne!(passwords.rehash(&password).await.unwrap(), hash);
            assert!(passwords.matches(&password, &hash).await.unwrap());
        }
    }
}

#[tokio::test]
async fn a_hash_of_another_cost_or_variant_is_outdated() {
    assert_eq!(verdict("secret", hash("secret", 5)).await, Verdict::Match);
    assert_eq!(verdict("secret", hash("secret", 4)).await, Verdict::MatchOutdated);
    assert_eq!(verdict("secret", hash("secret", 6)).await, Verdict::MatchOutdated);
    let php = hash("secret", 5).map(|hash| hash.replacen("$2b$", "$2y$", 1));
    assert_eq!(verdict("secret", php).await, Verdict::MatchOutdated);
    assert_eq!(verdict("other", hash("secret", 4)).await, Verdict::Mismatch);
}

#[tokio::test]
async fn a_password_that_bcrypt_would_truncate_does_not_match() {
    let long = "x".repeat(72);
    assert_eq!(verdict(&long, hash(&long, 5)).await, Verdict::Match);
    assert_eq!(verdict(&format!("{long}y"), hash(&long, 5)).await, Verdict::Mismatch);
    assert_eq!(verdict("a\0a", hash("a", 5)).await, Verdict::Mismatch, "to bcrypt, both are the same key");
}

#[tokio::test]
async fn no_password_matches_a_hash_that_cannot_be_verified() {
    let too_costly = hash("secret", 5).map(|hash| hash.replacen("$05$", "$31$", 1));
    for bad in
        [None, Some(String::new()), Some("secret".to_owned()), Some("$2b$05$short".to_owned()), too_costly]
    {
        assert_eq!(verdict("secret", bad).await, Verdict::Mismatch);
    }
}

#[cfg(feature = "argon2")]
const ARGON2: NewHash =
    NewHash::Argon2id(Argon2Parameters { memory_kib: 2048, iterations: 2, parallelism: 1 });

/// How new hashes can be made, each with its work in rounds of bcrypt.
fn new_hashes() -> Vec<(NewHash, u64)> {
    vec![
        (NewHash::Bcrypt { cost: 6 }, 64),
        #[cfg(feature = "argon2")]
        (ARGON2, 32),
    ]
}

fn passwords_with(scheme: Scheme) -> Passwords {
    let pool = PasswordPool::start(NonZeroUsize::MIN, 64, BcryptImplementation::Interleaved, 0);
    Passwords::new(Arc::new(pool), scheme)
}

/// Hashes of `secret`, each with its work in rounds of bcrypt, and hashes that match no password.
fn stored_hashes() -> Vec<(Option<String>, u64)> {
    vec![
        (None, 0),
        (Some(String::new()), 0),
        (Some("not a hash".to_owned()), 0),
        (
            Some(
                "$argon2id$v=19$m=4194304,t=9,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
                    .to_owned(),
            ),
            0,
        ),
        (hash("secret", 4), 16),
        (hash("secret", 5), 32),
        #[cfg(feature = "argon2")]
        (
            Some(
                "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
                    .to_owned(),
            ),
            4,
        ),
        #[cfg(feature = "foreign-hashes")]
        (
            Some(
                "$scrypt$ln=7,r=8,p=1$c2l4dGVlbiBvY3RldHMhIQ$lwpsz5FDzDBggTsWeyDMMH1kucveiY2Cik0O7I9SzW4"
                    .to_owned(),
            ),
            4,
        ),
        #[cfg(feature = "foreign-hashes")]
        (
            Some(
                "$scrypt$ln=13,r=8,p=1$c2l4dGVlbiBvY3RldHMhIQ$lwpsz5FDzDBggTsWeyDMMH1kucveiY2Cik0O7I9SzW4"
                    .to_owned(),
            ),
            256,
        ),
        #[cfg(feature = "foreign-hashes")]
        (
            Some(
                "$pbkdf2-sha256$1000$c2l4dGVlbiBvY3RldHMhIQ$lwpsz5FDzDBggTsWeyDMMH1kucveiY2Cik0O7I9SzW4"
                    .to_owned(),
            ),
            1,
        ),
    ]
}

#[tokio::test]
async fn every_comparison_takes_the_work_of_a_new_hash() {
    for (new_hash, work) in new_hashes() {
        for (hash, own) in stored_hashes() {
            for password in ["secret", "another", "\0", &"x".repeat(100)] {
                let passwords = passwords_with(Scheme::new(new_hash, 6, 16_384));
                let password = Password::to_check(password.to_owned());
                passwords.verify(&password, hash.as_deref()).await.unwrap();
                assert_eq!(passwords.pool.rounds_done(), work.max(own), "{hash:?} beside {new_hash:?}");
            }
        }
    }
}

#[tokio::test]
async fn after_a_dearer_hash_every_comparison_takes_its_work_up_to_four_times_that_of_a_new_hash() {
    for (new_hash, work) in new_hashes() {
        let passwords = passwords_with(Scheme::new(new_hash, 6, 16_384));
        let password = Password::to_check("another".to_owned());
        let client = passwords.of(std::net::IpAddr::from([192, 0, 2, 1]).into());
        let mut done = 0;
        let most = 256.min(4 * work).max(work);
        for (hash, expected) in
            [(None, work), (hash("secret", 8), 256.max(work)), (None, most), (hash("secret", 4), most)]
        {
            client.verify(&password, hash.as_deref()).await.unwrap();
            assert_eq!(passwords.pool.rounds_done() - done, expected, "{hash:?} beside {new_hash:?}");
            done = passwords.pool.rounds_done();
        }
    }
}

fn pepper(number: u8) -> crate::crypto::keys::Secret {
    crate::crypto::keys::Secret::new(vec![number; 32])
}

/// The format of stored hashes is frozen: another program must compute the same.
#[tokio::test]
async fn a_peppered_hash_is_one_of_the_mac_of_the_password() {
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
    use hkdf::Hkdf;
    use hmac::{Hmac, KeyInit, Mac};
    use sha2::Sha256;

    let mac = |label: &str, text: &str| {
        let mut key = [0; 32];
        Hkdf::<Sha256>::new(None, &[1; 32]).expand(label.as_bytes(), &mut key).unwrap();
        Hmac::<Sha256>::new_from_slice(&key).unwrap().chain_update(text).finalize().into_bytes()
    };
    let id = URL_SAFE_NO_PAD.encode(&mac("axum-auth-module/v1/password-pepper-id", "")[..6]);
    for (new_hash, _) in new_hashes() {
        let scheme = Scheme::new(new_hash, 6, 4096).with_peppers(Peppers::new(Some(&pepper(1)), &[]));
        let passwords = passwords_with(scheme);
        for text in ["secret", "ä", &"x".repeat(72)] {
            let hash = passwords.rehash(&Password::to_check(text.to_owned())).await.unwrap();
            let inner = hash.strip_prefix(&format!("$peppered${id}")).unwrap();
            assert!(hash.len() <= 128);
            let mac = STANDARD_NO_PAD.encode(mac("axum-auth-module/v1/password-pepper", text));
            let plain = passwords_with(Scheme::new(new_hash, 6, 4096));
            assert_eq!(plain.verify(&Password::to_check(mac), Some(inner)).await.unwrap(), Verdict::Match);
            assert!(!plain.matches(&Password::to_check(text.to_owned()), inner).await.unwrap());
        }
    }
}

#[tokio::test]
async fn every_comparison_with_a_pepper_takes_the_work_of_a_new_hash() {
    for (new_hash, work) in new_hashes() {
        let of = |current: Option<u8>, previous: &[u8]| {
            let previous: Vec<_> = previous.iter().copied().map(pepper).collect();
            let peppers = Peppers::new(current.map(pepper).as_ref(), &previous);
            passwords_with(Scheme::new(new_hash, 6, 4096).with_peppers(peppers))
        };
        let secret = Password::to_check("secret".to_owned());
        let hash = of(Some(1), &[]).rehash(&secret).await.unwrap();
        let plain = of(None, &[]).rehash(&secret).await.unwrap();
        for (passwords, hash, verdict) in [
            (of(Some(1), &[]), Some(&hash), Verdict::Match),
            (of(Some(2), &[1]), Some(&hash), Verdict::MatchOutdated),
            (of(None, &[1]), Some(&hash), Verdict::MatchOutdated),
            (of(Some(2), &[]), Some(&hash), Verdict::Mismatch),
            (of(None, &[]), Some(&hash), Verdict::Mismatch),
            (of(Some(1), &[]), Some(&plain), Verdict::MatchOutdated),
            (of(None, &[1]), Some(&plain), Verdict::Match),
            (of(Some(1), &[2]), None, Verdict::Mismatch),
        ] {
            assert_eq!(passwords.verify(&secret, hash.map(String::as_str)).await.unwrap(), verdict);
            assert_eq!(passwords.pool.rounds_done(), work);
        }
    }
}

#[cfg(feature = "argon2")]
#[tokio::test]
async fn new_hashes_of_argon2id_are_current_and_all_others_outdated() {
    let passwords = passwords_with(Scheme::new(ARGON2, 5, 4096));
    let secret = Password::to_check("secret".to_owned());
    let new = passwords.rehash(&secret).await.unwrap();
    assert!(new.starts_with("$argon2id$v=19$m=2048,t=2,p=1$"), "{new}");
    assert_ne!(passwords.rehash(&secret).await.unwrap(), new);
    let verdict = async |password: &str, hash: &str| {
        passwords.verify(&Password::to_check(password.to_owned()), Some(hash)).await.unwrap()
    };
    assert_eq!(verdict("secret", &new).await, Verdict::Match);
    assert_eq!(verdict("other", &new).await, Verdict::Mismatch);
    assert_eq!(verdict("secret", &hash("secret", 5).unwrap()).await, Verdict::MatchOutdated);
    for other in [
        Argon2Parameters { memory_kib: 1024, iterations: 2, parallelism: 1 },
        Argon2Parameters { memory_kib: 2048, iterations: 1, parallelism: 1 },
        Argon2Parameters { memory_kib: 2048, iterations: 2, parallelism: 2 },
    ] {
        let other = passwords_with(Scheme::new(NewHash::Argon2id(other), 5, 4096));
        let outdated = other.rehash(&secret).await.unwrap();
        assert_eq!(verdict("secret", &outdated).await, Verdict::MatchOutdated);
        assert_eq!(verdict("other", &outdated).await, Verdict::Mismatch);
    }
    let too_much_memory = passwords_with(Scheme::new(ARGON2, 5, 1024));
    assert!(!too_much_memory.matches(&secret, &new).await.unwrap());
}
