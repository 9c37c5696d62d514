//! The cipher and the key schedule, for one to four passwords at once.
//!
//! The cipher is from Bruce Schneier, "Description of a New Variable-Length Key, 64-Bit Block Cipher (Blowfish)", 1993, and
//! the key schedule from Niels Provos and David Mazières, "A Future-Adaptable Password Scheme", 1999, §3.

#![expect(
    clippy::indexing_slicing,
    reason = "the arrays have constant lengths; only 8 bits of secret data are an index"
)]

use super::{Digest, Job, digits_of_pi};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// The text that bcrypt encrypts, `OrpheanBeholderScryDoubt`, as big-endian words.
const TEXT: [u32; 6] = [0x4f72_7068, 0x6561_6e42, 0x6568_6f6c, 0x6465_7253, 0x6372_7944, 0x6f75_6274];

/// A key or a salt as big-endian words, repeated to the length of `P`.
type Words = [u32; 18];

/// The cipher's state, the key and the salt of one computation. All of them are secrets, and wiped when this is dropped.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(super) struct Lane {
    p: [u32; 18],
    s: [[u32; 256]; 4],
    key: Words,
    salt: Words,
}

/// The function `F` of the cipher.
macro_rules! f {
    ($s:expr, $x:expr) => {
        ($s[0][($x >> 24) as usize].wrapping_add($s[1][($x >> 16 & 255) as usize])
            ^ $s[2][($x >> 8 & 255) as usize])
            .wrapping_add($s[3][($x & 255) as usize])
    };
}

/// Two rounds. While one lane waits for its read, the others go on.
macro_rules! rounds {
    ($first:literal: $($lane:ident $l:ident $r:ident),+) => {
        $($r ^= f!($lane.s, $l) ^ $lane.p[$first];)+
        $($l ^= f!($lane.s, $r) ^ $lane.p[$first + 1];)+
    };
}

/// Encrypts the block (`l`, `r`) of each lane.
macro_rules! encrypt {
    ($($lane:ident $l:ident $r:ident),+) => {
        $($l ^= $lane.p[0];)+
        rounds!(1: $($lane $l $r),+);
        rounds!(3: $($lane $l $r),+);
        rounds!(5: $($lane $l $r),+);
        rounds!(7: $($lane $l $r),+);
        rounds!(9: $($lane $l $r),+);
        rounds!(11: $($lane $l $r),+);
        rounds!(13: $($lane $l $r),+);
        rounds!(15: $($lane $l $r),+);
        $(($l, $r) = ($r ^ $lane.p[17], $l);)+
    };
}

/// Replaces `P` and the S-boxes of each lane by encrypted blocks, each of which is the encryption of the one before.
///
/// Variables instead of arrays, and `while` instead of iterators, make this almost as fast in a build without optimisation,
/// with which hosts are developed.
macro_rules! replace_all {
    ($($lane:ident $l:ident $r:ident),+) => {{
        $(let (mut $l, mut $r) = (0_u32, 0_u32);)+
        let mut at = 0;
        while at < 18 {
            encrypt!($($lane $l $r),+);
            $(($lane.p[at], $lane.p[at + 1]) = ($l, $r);)+
            at += 2;
        }
        let mut table = 0;
        while table < 4 {
            at = 0;
            while at < 256 {
                encrypt!($($lane $l $r),+);
                $(($lane.s[table][at], $lane.s[table][at + 1]) = ($l, $r);)+
                at += 2;
            }
            table += 1;
        }
    }};
}

/// The loop of `EksBlowfishSetup`: expands the state of each lane with its key and then with its salt, `times` times.
pub(super) fn expand(lanes: &mut [Lane], times: u64) {
    for _ in 0..times {
        for lane in lanes.iter_mut() {
            mix(&mut lane.p, &lane.key);
        }
        replace(lanes);
        for lane in lanes.iter_mut() {
            mix(&mut lane.p, &lane.salt);
        }
        replace(lanes);
    }
}

fn replace(lanes: &mut [Lane]) {
    match lanes {
        [a] => replace_all!(a la ra),
        [a, b] => replace_all!(a la ra, b lb rb),
        [a, b, c] => replace_all!(a la ra, b lb rb, c lc rc),
        [a, b, c, d] => replace_all!(a la ra, b lb rb, c lc rc, d ld rd),
        [] => {}
        [a, b, c, d, others @ ..] => {
            replace_all!(a la ra, b lb rb, c lc rc, d ld rd);
            replace(others);
        }
    }
}

fn mix(p: &mut Words, words: &Words) {
    let mut at = 0;
    while at < 18 {
        p[at] ^= words[at];
        at += 1;
    }
}

fn words(octets: &[u8]) -> Words {
    let mut octets = octets.iter().copied().cycle();
    std::array::from_fn(|_| u32::from_be_bytes(std::array::from_fn(|_| octets.next().unwrap_or_default())))
}

impl Lane {
    /// A lane with nothing in it.
    pub(super) const fn empty() -> Self {
        Self { p: [0; 18], s: [[0; 256]; 4], key: [0; 18], salt: [0; 18] }
    }

    /// `EksBlowfishSetup` up to its loop.
    pub(super) fn start(&mut self, job: &Job) {
        (self.key, self.salt) = (words(&job.key), words(&job.salt));
        (self.p, self.s) = (digits_of_pi::P, digits_of_pi::S);
        mix(&mut self.p, &self.key);
        let (mut l, mut r) = (0, 0);
        for at in (0..18 + 4 * 256).step_by(2) {
            // Four words are the whole salt.
            l ^= self.salt[at % 4];
            r ^= self.salt[at % 4 + 1];
            (l, r) = self.encrypt(l, r);
            match at.checked_sub(18) {
                None => (self.p[at], self.p[at + 1]) = (l, r),
                Some(at) => {
                    let table = &mut self.s[at / 256];
                    (table[at % 256], table[at % 256 + 1]) = (l, r);
                }
            }
        }
    }

    fn encrypt(&self, mut l: u32, mut r: u32) -> (u32, u32) {
        let lane = self;
        encrypt!(lane l r);
        (l, r)
    }

    /// The text, encrypted 64 times.
    pub(super) fn digest(&self) -> Digest {
        let mut text = TEXT;
        for block in text.chunks_exact_mut(2) {
            for _ in 0..64 {
                (block[0], block[1]) = self.encrypt(block[0], block[1]);
            }
        }
        let mut digest = [0; 23];
        for (octet, of_text) in digest.iter_mut().zip(text.into_iter().flat_map(u32::to_be_bytes)) {
            *octet = of_text;
        }
        digest
    }
}
