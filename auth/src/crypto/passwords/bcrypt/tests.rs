//! The vectors of crypt_blowfish, and a comparison with the crate `bcrypt`.

use super::*;
use ::bcrypt::{BASE_64, HashParts};
use base64::Engine;
use proptest::prelude::*;
use std::fmt;

/// Computes the jobs in lanes, of which each turn has at most this many rounds. A job joins in every turn.
fn interleaved(jobs: &[Job], rounds: u64) -> Vec<Digest> {
    let mut lanes = Lanes::new(BcryptImplementation::Interleaved);
    let mut digests = vec![None; jobs.len()];
    let mut waiting = jobs.iter().enumerate().peekable();
    while !lanes.is_empty() || waiting.peek().is_some() {
        if let Some((owner, job)) = waiting.next_if(|_| lanes.room() > 0) {
            lanes.start(job.clone(), owner);
        }
        for (owner, digest) in lanes.turn(rounds).done {
            assert!(digests[owner].replace(digest).is_none());
        }
    }
    digests.into_iter().map(Option::unwrap).collect()
}

/// Passwords and their hashes from the tests of crypt_blowfish 1.3. Those of its variant `2x`, which repeats an error of earlier
/// versions, and those that its variant `2a` alters on purpose are not bcrypt.
const VECTORS: &[(&str, &[u8])] = &[
    ("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", b"U*U"),
    ("$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK", b"U*U*"),
    ("$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a", b"U*U*U"),
    (
        "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui",
        b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored",
    ),
    ("$2y$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e", b"\xff\xff\xa3"),
    ("$2b$05$/OK.fbVrR/bpIqNJ5ianF.CE5elHaaO4EbggVDjb8P19RukzXSM3e", b"\xff\xff\xa3"),
    ("$2y$05$/OK.fbVrR/bpIqNJ5ianF.Sa7shbm4.OzKpvFnX1pQLmQW96oUlCq", b"\xa3"),
    ("$2a$05$/OK.fbVrR/bpIqNJ5ianF.Sa7shbm4.OzKpvFnX1pQLmQW96oUlCq", b"\xa3"),
    ("$2b$05$/OK.fbVrR/bpIqNJ5ianF.Sa7shbm4.OzKpvFnX1pQLmQW96oUlCq", b"\xa3"),
    ("$2y$05$/OK.fbVrR/bpIqNJ5ianF.nRht2l/HRhr6zmCp9vYUvvsqynflf9e", b"\xff\xa3345"),
    ("$2a$05$/OK.fbVrR/bpIqNJ5ianF.nRht2l/HRhr6zmCp9vYUvvsqynflf9e", b"\xff\xa3345"),
    ("$2a$05$/OK.fbVrR/bpIqNJ5ianF.6IflQkJytoRVc1yuaNtHfiuq.FRlSIS", b"\xa3ab"),
    ("$2y$05$/OK.fbVrR/bpIqNJ5ianF.6IflQkJytoRVc1yuaNtHfiuq.FRlSIS", b"\xa3ab"),
    ("$2a$05$/OK.fbVrR/bpIqNJ5ianF.swQOIzjOiJ9GHEPuhEkvqrUyvWhEMx6", &[0xaa; 72]),
    ("$2a$05$/OK.fbVrR/bpIqNJ5ianF.swQOIzjOiJ9GHEPuhEkvqrUyvWhEMx6", &[0xaa; 100]),
    (
        "$2a$05$/OK.fbVrR/bpIqNJ5ianF.R9xrDjiycxMbQE2bp.vgqlYpW5wx2yy",
        b"\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\
          \xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\
          \xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55\xaa\x55",
    ),
    (
        "$2a$05$/OK.fbVrR/bpIqNJ5ianF.9tQZzcJfm3uj2NvJ/n5xkhpqLrMpWCe",
        b"\x55\xaa\xff\x55\xaa\xff\x55\xaa\xff\x55\xaa\xff\x55\xaa\xff\x55\xaa\xff\x55\xaa\xff\x55\xaa\xff\
          \x55\xaa\xff\x55\xaa\xff\x55\xaa\xff\x55\xaa\xff\x55\xaa\xff\x55\xaa\xff\x55\xaa\xff\x55\xaa\xff\
          \x55\xaa\xff\x55\xaa\xff\x55\xaa\xff\x55\xaa\xff\x55\xaa\xff\x55\xaa\xff\x55\xaa\xff\x55\xaa\xff",
    ),
    ("$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy", b""),
];

#[test]
fn the_vectors_of_crypt_blowfish() {
    let jobs: Vec<_> = VECTORS
        .iter()
        .map(|(hash, password)| {
            let parts: HashParts = hash.parse().unwrap();
            Job::new(password, parts.get_salt_raw(), parts.get_cost())
        })
        .collect();
    for (digest, (hash, _)) in interleaved(&jobs, 5).into_iter().zip(VECTORS) {
        assert!(hash.ends_with(&BASE_64.encode(digest)), "{hash}");
    }
}

/// The first words of a number below 1, to which a number is added or from which it is subtracted.
fn add_arctangent(sum: &mut [u32], numerator: u64, inverse: u64, is_negative: bool) {
    // The series 1/x - 1/(3x³) + 1/(5x⁵) - …, times the numerator.
    let mut power = vec![0; sum.len()];
    power[0] = u32::try_from(numerator).unwrap();
    let divide = |words: &mut [u32], divisor: u64| {
        let mut rest = 0;
        for word in words {
            let value = rest << 32 | u64::from(*word);
            *word = u32::try_from(value / divisor).unwrap();
            rest = value % divisor;
        }
    };
    divide(&mut power, inverse);
    for index in 0.. {
        if power.iter().all(|word| *word == 0) {
            return;
        }
        let mut term = power.clone();
        divide(&mut term, 2 * index + 1);
        let mut carry = 0;
        for (word, term) in sum.iter_mut().zip(&term).rev() {
            let (value, overflows) = match (index % 2 == 1) == is_negative {
                true => word.carrying(*term, carry),
                false => word.borrowing(*term, carry),
            };
            (*word, carry) = (value, u32::from(overflows));
        }
        divide(&mut power, inverse * inverse);
    }
}

/// Arithmetic with a carry.
trait Carry: Sized {
    fn carrying(self, other: Self, carry: Self) -> (Self, bool);
    fn borrowing(self, other: Self, borrow: Self) -> (Self, bool);
}

impl Carry for u32 {
    fn carrying(self, other: Self, carry: Self) -> (Self, bool) {
        let (sum, first) = self.overflowing_add(other);
        let (sum, second) = sum.overflowing_add(carry);
        (sum, first | second)
    }

    fn borrowing(self, other: Self, borrow: Self) -> (Self, bool) {
        let (difference, first) = self.overflowing_sub(other);
        let (difference, second) = difference.overflowing_sub(borrow);
        (difference, first | second)
    }
}

#[test]
fn the_first_state_is_pi() {
    const WORDS: usize = 18 + 4 * 256;
    // John Machin, 1706: π = 16 arctan(1/5) - 4 arctan(1/239). The first word is the 3, the last two are not exact.
    let mut pi = vec![0; 1 + WORDS + 2];
    add_arctangent(&mut pi, 16, 5, false);
    add_arctangent(&mut pi, 4, 239, true);
    let digits = [&digits_of_pi::P[..], digits_of_pi::S.as_flattened()].concat();
    assert_eq!((pi[0], &pi[1..=WORDS]), (3, &digits[..]));
}

/// Only tests show jobs.
impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (&self.key, self.salt, self.cost, self.rounds).fmt(f)
    }
}

fn job(costs: impl Strategy<Value = u32>) -> impl Strategy<Value = Job> {
    let password = prop_oneof![
        8 => prop::collection::vec(any::<u8>(), 0..=72),
        1 => prop::collection::vec(any::<u8>(), 73..200),
        1 => prop::collection::vec(Just(0), 0..=72),
    ];
    (password, any::<[u8; 16]>(), costs, 0_u64..4).prop_map(|(password, salt, cost, more)| {
        Job::new(&password, salt, cost).with_work_of((more << cost) - more)
    })
}

fn same(jobs: &[Job], rounds: u64) -> Result<(), TestCaseError> {
    let expected: Vec<_> = jobs.iter().map(Job::run_with_crate).collect();
    prop_assert_eq!(interleaved(jobs, rounds), expected);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// One to nine jobs of several costs, which join when others are half done.
    #[test]
    fn the_lanes_compute_what_the_crate_computes(
        jobs in prop::collection::vec(job(4_u32..=6), 1..10),
        rounds in 1_u64..100,
    ) {
        same(&jobs, rounds)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn the_lanes_compute_what_the_crate_computes_with_higher_costs(
        jobs in prop::collection::vec(job(7_u32..=10), 1..6),
        rounds in 1_u64..1000,
    ) {
        same(&jobs, rounds)?;
    }
}

#[test]
fn every_octet_in_every_lane() {
    let jobs: Vec<_> = (0..=255_u8).map(|octet| Job::new(&[octet, octet ^ 0x5a], [octet; 16], 4)).collect();
    same(&jobs, 16).unwrap();
    let job = Job::new(b"secret", [7; 16], 12);
    same(&[job], 4096).unwrap();
}

#[test]
fn a_job_that_is_given_up_does_not_disturb_the_others() {
    let jobs: Vec<_> = (0..4).map(|number| Job::new(&[b'a' + number], [number; 16], 5)).collect();
    let mut lanes = Lanes::new(BcryptImplementation::Interleaved);
    for (owner, job) in jobs.iter().enumerate() {
        lanes.start(job.clone(), owner);
    }
    assert_eq!(lanes.room(), 0);
    assert!(lanes.turn(7).done.is_empty());
    lanes.drop_if(|owner| *owner == 1);
    let mut done = lanes.turn(100).done;
    done.sort_unstable();
    let expected: Vec<_> = [0, 2, 3].map(|owner| (owner, jobs[owner].run_with_crate())).into();
    assert_eq!(done, expected);
    assert!(lanes.is_empty());
}
