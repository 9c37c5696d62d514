use super::*;
use proptest::prelude::*;

/// Allows everything that the module can allow.
const BOUNDS: Bounds = Bounds { bcrypt_cost: 12, memory_kib: 131_072 };

/// Whether the password matches the hash, which is not of bcrypt.
#[cfg(any(feature = "argon2", feature = "foreign-hashes"))]
fn matches(password: &str, hash: &str) -> bool {
    use crate::crypto::passwords::job::Memory;

    let Stored { method: Method::Other(computation), digest, .. } = read(hash, BOUNDS).unwrap() else {
        panic!("{hash}")
    };
    computation.digest(password.as_bytes(), &mut Memory::default()).unwrap() == digest
}

/// Why a hash cannot be read.
fn refused(hash: &str) -> (&'static str, &'static str) {
    let Err(Unreadable { kind, reason }) = read(hash, BOUNDS) else { panic!("{hash}") };
    (kind, reason)
}

proptest! {
    /// Whatever is stored, reading it neither panics nor allows more than the bounds.
    #[test]
    fn any_text_is_read_or_refused(kind in 0..KINDS.len(), text in "[$,=a-zA-Z0-9+/.]{0,80}", numbers in any::<[u32; 3]>()) {
        let (prefix, _) = KINDS[kind];
        let [one, two, three] = numbers;
        let (small, digest) = (one % 40, "c2l4dGVlbiBvY3RldHMhIQ$lwpsz5FDzDBggTsWeyDMMH1kucveiY2Cik0O7I9SzW4");
        for hash in [
            format!("{prefix}{text}"),
            format!("{prefix}v=19$m={one},t={two},p={three}${digest}"),
            format!("{prefix}v=19$m={},t={small},p=1${digest}", one % 200_000),
            format!("{prefix}ln={small},r={two},p={three}${digest}"),
            format!("{prefix}ln={small},r={},p={}${digest}", two % 40, three % 40),
            format!("{prefix}i={one}${digest}"),
            format!("{prefix}{one}${digest}"),
        ] {
            if let Ok(stored) = read(&hash, BOUNDS) {
                prop_assert!(stored.method.rounds() <= 1 << 16, "{}", hash);
            }
        }
    }
}

#[test]
fn a_hash_of_an_unknown_kind_is_named_by_its_prefix_alone() {
    assert_eq!(refused("$6$salt$secret"), ("$6$", UNKNOWN));
    for other in ["", "secret", "$secret$", "$secret$secret$secret$secret", "sha1$a$b"] {
        assert_eq!(refused(other), ("no known prefix", UNKNOWN), "{other}");
    }
}

#[test]
fn bcrypt_is_read_in_all_its_variants_and_not_with_absurd_costs() {
    let hash = "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW";
    for (variant, made_by) in
        [("2b", Some(NewHash::Bcrypt { cost: 5 })), ("2a", None), ("2y", None), ("2x", None)]
    {
        let stored = read(&hash.replacen("2b", variant, 1), BOUNDS).unwrap();
        assert_eq!((stored.method.rounds(), stored.made_by), (32, made_by));
    }
    for (cost, reason) in [("17", TOO_MUCH_WORK), ("31", TOO_MUCH_WORK), ("03", MALFORMED)] {
        assert_eq!(refused(&hash.replacen("05", cost, 1)), ("$2b$", reason), "{cost}");
    }
    assert!(read(&hash.replacen("05", "16", 1), BOUNDS).is_ok());
    for malformed in
        [hash.split_at(40).0, "$2b$", "$2b$xx$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"]
    {
        assert_eq!(refused(malformed).1, MALFORMED, "{malformed}");
    }
}

/// Hashes of the test program of the reference implementation (P-H-C/phc-winner-argon2, `src/test.c`), and of argon2-cffi 25.1.
#[cfg(feature = "argon2")]
#[test]
fn argon2_as_other_programs_write_it() {
    for (password, hash) in [
        ("password", "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"),
        ("password", "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc"),
        ("password", "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8"),
        ("password", "$argon2i$m=256,t=2,p=1$c29tZXNhbHQ$/U3YPXYsSb3q9XxHvc0MLxur+GP960kN9j7emXX8zwY"),
        (
            "correct horse battery",
            "$argon2id$v=19$m=64,t=1,p=1$y/jXkj6BEy0cjN1FXqUzOg$ZOm+0pHzL8yTmSzvnU4PjRsgmuhJmNzL16opfmXCQrE",
        ),
        (
            "correct horse battery",
            "$argon2i$v=19$m=64,t=1,p=2$qmgu8CjWdd9BDY4hPGTogQ$1t9ESlF5Da6we+Mlgdiiskfw/sW5YY4wW9cEF59DvOg",
        ),
        (
            "correct horse battery",
            "$argon2d$v=19$m=64,t=1,p=1$5AotVs3qEcFsN+C+1Zorng$OJRnHdf9tcJvjS/Xt0R480clmxu8fISYlZHnKH2SeCE",
        ),
    ] {
        assert!(matches(password, hash), "{hash}");
        assert!(!matches("another password", hash), "{hash}");
    }
}

/// RFC 9106 §5.3. Its secret and its associated data are no part of stored hashes, so this is a test of the crate.
#[cfg(feature = "argon2")]
#[test]
fn the_vector_of_the_rfc() {
    use ::argon2::{Algorithm, Argon2, AssociatedData, ParamsBuilder, Version};

    let params = ParamsBuilder::new()
        .m_cost(32)
        .t_cost(3)
        .p_cost(4)
        .data(AssociatedData::new(&[4; 12]).unwrap())
        .build()
        .unwrap();
    let argon2 = Argon2::new_with_secret(&[3; 8], Algorithm::Argon2id, Version::V0x13, params).unwrap();
    let (mut tag, mut blocks) = ([0; 32], vec![::argon2::Block::new(); 32]);
    argon2.hash_password_into_with_memory(&[1; 32], &[2; 16], &mut tag, blocks.as_mut_slice()).unwrap();
    let expected = "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659";
    assert_eq!(crate::crypto::random::hex_of(&tag), expected);
}

#[cfg(feature = "argon2")]
#[test]
fn argon2_with_absurd_parameters_is_refused_before_anything_is_computed() {
    let hash = |parameters: &str| {
        format!("$argon2id$v=19${parameters}$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4")
    };
    for (parameters, reason) in [
        ("m=4194304,t=1,p=1", TOO_MUCH_MEMORY),
        ("m=131073,t=1,p=1", TOO_MUCH_MEMORY),
        ("m=4294967295,t=4294967295,p=1", TOO_MUCH_MEMORY),
        ("m=131072,t=65,p=1", TOO_MUCH_WORK),
        ("m=8,t=4294967295,p=1", TOO_MUCH_WORK),
        ("m=64,t=1,p=9", MALFORMED),
        ("m=64,t=1,p=4294967295", MALFORMED),
        ("m=64,t=1,p=0", MALFORMED),
        ("m=64,t=0,p=1", MALFORMED),
        ("m=7,t=1,p=1", MALFORMED),
        ("m=64,t=1", MALFORMED),
        ("m=64,t=1,p=1,keyid=AAAA", MALFORMED),
        ("m=64,m=64,t=1,p=1", MALFORMED),
        ("m=+64,t=1,p=1", MALFORMED),
        ("m=99999999999,t=1,p=1", MALFORMED),
        ("", MALFORMED),
    ] {
        assert_eq!(refused(&hash(parameters)), ("$argon2id$", reason), "{parameters}");
    }
    assert!(read(&hash("m=131072,t=64,p=1"), BOUNDS).is_ok());
    for malformed in [
        "$argon2id$v=20$m=64,t=1,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=64,t=1,p=1$c29t$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$nf65EOgLrQMR",
        "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ==$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
        "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ",
        "$argon2id$",
    ] {
        assert_eq!(refused(malformed), ("$argon2id$", MALFORMED), "{malformed}");
    }
}

/// The vectors of RFC 7914 §12 whose salts have 8 octets or more.
#[cfg(feature = "foreign-hashes")]
#[test]
fn scrypt_as_in_the_rfc_and_as_passlib_writes_it() {
    let of_the_rfc = |ln: u8, r: u32, p: u32, salt: &str, hex: &str| {
        use base64::Engine;
        use base64::engine::general_purpose::STANDARD_NO_PAD;
        format!(
            "$scrypt$ln={ln},r={r},p={p}${}${}",
            STANDARD_NO_PAD.encode(salt),
            STANDARD_NO_PAD.encode(octets(hex))
        )
    };
    let second = of_the_rfc(
        14,
        8,
        1,
        "SodiumChloride",
        "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2\
         d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887",
    );
    assert!(matches("pleaseletmein", &second) && !matches("pleaseletmeout", &second));
    let passlib = "$scrypt$ln=4,r=8,p=1$0Np7r1XKeY/R2ttbay3lnA$C+0ABJStPr4FWr0KZ5IW5RyUdQFATAvKwzT0WSkZ8Ho";
    assert!(matches("correct horse battery", passlib) && !matches("another password", passlib));
}

#[cfg(feature = "foreign-hashes")]
fn octets(hex: &str) -> Vec<u8> {
    let digits: Vec<_> = hex.chars().map(|digit| digit.to_digit(16).unwrap() as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// RFC 7914 §11 has the vectors of PBKDF2 with HMAC-SHA256; those of HMAC-SHA512 were computed with Python's `hashlib`.
#[cfg(feature = "foreign-hashes")]
#[test]
fn pbkdf2_as_in_the_rfc_and_as_other_programs_write_it() {
    // Its salts are shorter than those of stored hashes can be.
    for (password, salt, iterations, digest) in [
        (
            "passwd",
            "salt",
            1,
            "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\
             49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783",
        ),
        (
            "Password",
            "NaCl",
            80_000,
            "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56\
             a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d",
        ),
    ] {
        assert_eq!(pbkdf2::sha256(password, salt, iterations, 64), octets(digest));
    }
    for hash in [
        "$pbkdf2-sha256$1000$ZizlHKOU8v7/vxfi/F.LMQ$AzBzIj20qX4OvuLQSbLA4za99v5lRtFaMEHFyuzSq7I",
        "$pbkdf2-sha512$1000$HmPsXWttbY3xnvM.p5QyRg$gLJSQDBI1iaTBdiUyXsnLU3mPSnZC7xWXLC9NDxrx.oeHOT5YaxE3UZSVrA/INOxfrR4tfPUQR1ELB.bbFJhqQ",
        "$pbkdf2-sha256$i=1000,l=32$c2l4dGVlbiBvY3RldHMhIQ$lwpsz5FDzDBggTsWeyDMMH1kucveiY2Cik0O7I9SzW4",
        "$pbkdf2-sha512$i=1000$c2l4dGVlbiBvY3RldHMhIQ$lknsBR9yqqvwnDJBZf9uN5IeJI4JzOExWSAELMrsF5SgPZkf4eUyI31KBB5NZoqPDKYKb2tF298ljdE+50nN6w",
    ] {
        assert!(matches("correct horse battery", hash), "{hash}");
        assert!(!matches("another password", hash), "{hash}");
    }
}

#[cfg(feature = "foreign-hashes")]
#[test]
fn scrypt_and_pbkdf2_with_absurd_parameters_are_refused_before_anything_is_computed() {
    let digest = "c2l4dGVlbiBvY3RldHMhIQ$lwpsz5FDzDBggTsWeyDMMH1kucveiY2Cik0O7I9SzW4";
    for (parameters, reason) in [
        ("ln=30,r=8,p=1", TOO_MUCH_MEMORY),
        ("ln=63,r=4294967295,p=4294967295", TOO_MUCH_MEMORY),
        ("ln=18,r=8,p=1", TOO_MUCH_MEMORY),
        ("ln=1,r=1,p=4294967295", TOO_MUCH_MEMORY),
        ("ln=17,r=8,p=17", TOO_MUCH_WORK),
        ("ln=64,r=8,p=1", MALFORMED),
        ("ln=0,r=8,p=1", MALFORMED),
        ("ln=4,r=0,p=1", MALFORMED),
        ("ln=4,r=8,p=0", MALFORMED),
        ("ln=4,r=8", MALFORMED),
    ] {
        assert_eq!(refused(&format!("$scrypt${parameters}${digest}")), ("$scrypt$", reason), "{parameters}");
    }
    assert!(read(&format!("$scrypt$ln=17,r=8,p=1${digest}"), BOUNDS).is_ok(), "what OWASP recommends");
    for (parameters, reason) in [
        ("i=1000000000", TOO_MUCH_WORK),
        ("1000000000", TOO_MUCH_WORK),
        ("i=4294967295,l=32", TOO_MUCH_WORK),
        ("i=0", MALFORMED),
        ("i=1000,l=31", MALFORMED),
        ("l=32", MALFORMED),
        ("many", MALFORMED),
        ("v=1$i=1000", MALFORMED),
    ] {
        assert_eq!(
            refused(&format!("$pbkdf2-sha256${parameters}${digest}")),
            ("$pbkdf2-sha256$", reason),
            "{parameters}"
        );
    }
    assert!(read(&format!("$pbkdf2-sha256$i=2000000${digest}"), BOUNDS).is_ok());
}

#[cfg(not(feature = "foreign-hashes"))]
#[test]
fn scrypt_and_pbkdf2_name_the_cargo_feature() {
    for hash in ["$scrypt$ln=4,r=8,p=1$a$b", "$pbkdf2-sha256$i=1000$a$b", "$pbkdf2-sha512$i=1000$a$b"] {
        assert!(refused(hash).1.contains("`foreign-hashes`"), "{hash}");
    }
}

#[cfg(not(feature = "argon2"))]
#[test]
fn a_hash_of_a_kind_that_is_not_compiled_names_the_cargo_feature() {
    let (kind, reason) =
        refused("$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4");
    assert_eq!(kind, "$argon2id$");
    assert!(reason.contains("`argon2`"), "{reason}");
}
