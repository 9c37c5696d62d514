use super::*;

/// Allows everything that the module can allow.
const BOUNDS: Bounds = Bounds { bcrypt_cost: 12, memory_kib: 131_072 };

/// Whether the password matches the hash, which is not of bcrypt.
#[cfg(feature = "argon2")]
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
    for malformed in [&hash[..40], "$2b$", "$2b$xx$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"] {
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

#[cfg(not(feature = "argon2"))]
#[test]
fn a_hash_of_a_kind_that_is_not_compiled_names_the_cargo_feature() {
    let (kind, reason) =
        refused("$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4");
    assert_eq!(kind, "$argon2id$");
    assert!(reason.contains("`argon2`"), "{reason}");
}
