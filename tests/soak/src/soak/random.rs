//! Random choices that a seed fixes.

/// SplitMix64 (Steele, Lea and Flood 2014). For choices of the test only.
pub(super) struct Random(u64);

impl Random {
    /// A sequence for one of several users of a seed.
    pub(super) fn new(seed: u64, stream: u64) -> Self {
        let mut random =
            Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ stream.wrapping_mul(0xd6e8_feb8_6659_fd93));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, or 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % end).unwrap_or_default()
    }

    /// A number from the first to the second, inclusive.
    pub(super) fn between(&mut self, first: u64, last: u64) -> u64 {
        first + self.next() % (last.saturating_sub(first) + 1)
    }

    /// True once in `times`.
    pub(super) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Changes the order.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_fixes_the_sequence() {
        let sequence = |seed, stream| {
            let mut random = Random::new(seed, stream);
            let mut deck = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
            random.shuffle(&mut deck);
            (deck, random.below(1000), random.between(5, 9))
        };
        assert_eq!(sequence(1, 1), sequence(1, 1));
        assert_ne!(sequence(1, 1), sequence(1, 2));
        assert_ne!(sequence(1, 1), sequence(2, 1));
        assert!((5..=9).contains(&sequence(3, 3).2));
    }
}
