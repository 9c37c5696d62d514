//! The search for the most expensive hash that takes at most some time.
//!
//! A function here gets what measures: it takes parameters, and how long this measurement and those after it take together as far
//! as that is known.

use super::measure::{BCRYPT_COSTS, HASHES, Measured, Parameters};
#[cfg(feature = "argon2")]
use crate::config::{ARGON2_PASSES, ARGON2_WORK, STRONG_ARGON2};
use std::time::Duration;

/// bcrypt: each cost takes twice as long as the one before it. The result takes longer than the target if even the least cost
/// does.
pub(super) async fn bcrypt<E>(
    target: Duration,
    mut time: impl AsyncFnMut(Parameters, Duration) -> Result<Measured, E>,
) -> Result<Measured, E> {
    let (least, most) = (*BCRYPT_COSTS.start(), *BCRYPT_COSTS.end());
    let mut fits = time(Parameters::Bcrypt { cost: least }, Duration::ZERO).await?;
    let expected = |cost: u32| fits.time * (1 << (cost - least));
    let mut cost = (least..=most).rev().find(|cost| expected(*cost) <= target).unwrap_or(least);
    let mut remaining = expected(cost).mul_f64(HASHES);
    let mut is_too_expensive = most + 1;
    // The first measurement may have been too slow or too fast.
    while cost > least {
        let measured = time(Parameters::Bcrypt { cost }, remaining).await?;
        remaining = Duration::ZERO;
        if measured.time > target {
            is_too_expensive = cost;
            cost -= 1;
            if fits.parameters == (Parameters::Bcrypt { cost }) {
                break;
            }
        } else {
            fits = measured;
            cost += 1;
            if cost >= is_too_expensive || measured.time * 2 > target {
                break;
            }
        }
    }
    Ok(fits)
}

/// Argon2id: as much memory as is allowed, and then as many passes as fit (RFC 9106 §4). If one that is strong enough does not
/// fit, less memory with more passes. The result takes longer than the target if none of them fits.
#[cfg(feature = "argon2")]
pub(super) async fn argon2id<E>(
    target: Duration,
    memory: u32,
    mut time: impl AsyncFnMut(Parameters, Duration) -> Result<Measured, E>,
) -> Result<Measured, E> {
    let least_passes = |memory: u32| {
        let strong = STRONG_ARGON2.iter().find(|(least, _)| *least <= memory);
        strong.map_or(ARGON2_PASSES, |(_, passes)| *passes)
    };
    let parameters = |memory| Parameters::Argon2id { memory, passes: least_passes(memory) };
    let mut weaker = STRONG_ARGON2.iter().map(|(weaker, _)| *weaker).filter(|weaker| *weaker < memory);
    let (mut memory, mut fits) = (memory, time(parameters(memory), Duration::ZERO).await?);
    while fits.time > target {
        let Some(weaker) = weaker.next() else { return Ok(fits) };
        (memory, fits) = (weaker, time(parameters(weaker), Duration::ZERO).await?);
    }
    let least = least_passes(memory);
    let pass = fits.time / least;
    let most = ARGON2_PASSES.min(ARGON2_WORK / memory);
    let mut passes = (least..=most).rev().find(|passes| pass * *passes <= target).unwrap_or(least);
    let mut remaining = (pass * passes).mul_f64(HASHES);
    while passes > least {
        let measured = time(Parameters::Argon2id { memory, passes }, remaining).await?;
        remaining = Duration::ZERO;
        if measured.time <= target {
            return Ok(measured);
        }
        passes -= 1;
    }
    Ok(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    /// The cost that is found for a target, and how many measurements that takes. The first one is slower by this factor.
    fn cost(target: u64, cost_10: u64, slower: f64) -> (u32, usize) {
        let mut measurements = 0;
        let time = async |parameters, _remaining| {
            let Parameters::Bcrypt { cost } = parameters else { panic!("bcrypt") };
            let time = ms(cost_10 << (cost - 10)).mul_f64(if measurements == 0 { slower } else { 1.0 });
            measurements += 1;
            Ok::<_, Infallible>(Measured { parameters, time })
        };
        let found = futures_util::FutureExt::now_or_never(bcrypt(ms(target), time)).unwrap().unwrap();
        let Parameters::Bcrypt { cost } = found.parameters else { panic!("bcrypt") };
        (cost, measurements)
    }

    #[test]
    fn the_cost_of_bcrypt_is_the_greatest_that_fits() {
        for (target, cost_10, expected) in [
            (250, 50, 12),
            (199, 50, 11),
            (200, 50, 12),
            (99, 50, 10),
            (1, 50, 10),
            (60_000, 50, 16),
            (400, 50, 13),
        ] {
            // A first measurement that was disturbed is made up for.
            for slower in [1.0, 1.5, 0.3] {
                let (found, measurements) = cost(target, cost_10, slower);
                assert_eq!(found, expected, "{target} ms, {slower}");
                assert!(measurements <= 5, "{measurements}");
            }
            assert!(cost(target, cost_10, 1.0).1 <= 2);
        }
    }

    /// The memory and passes that are found, if 1024 KiB take this many microseconds in each pass.
    #[cfg(feature = "argon2")]
    fn argon2(target: u64, memory: u32, pass: u64) -> (u32, u32, Duration) {
        let time = async |parameters, _remaining| {
            let Parameters::Argon2id { memory, passes } = parameters else { panic!("Argon2id") };
            let time = Duration::from_micros(pass) * passes * (memory / 1024);
            Ok::<_, Infallible>(Measured { parameters, time })
        };
        let found =
            futures_util::FutureExt::now_or_never(argon2id(ms(target), memory, time)).unwrap().unwrap();
        let Parameters::Argon2id { memory, passes } = found.parameters else { panic!("Argon2id") };
        (memory, passes, found.time)
    }

    #[cfg(feature = "argon2")]
    #[test]
    fn argon2id_gets_memory_before_passes() {
        assert_eq!(argon2(250, 65_536, 1000), (65_536, 3, ms(192)));
        assert_eq!(argon2(60_000, 65_536, 1000), (65_536, 16, ms(1024)));
        assert_eq!(argon2(60_000, 1_048_576, 1000), (1_048_576, 8, ms(8192)));
        // 64 MiB and 46 MiB are too slow.
        assert_eq!(argon2(40, 65_536, 1000), (19_456, 2, ms(38)));
        assert_eq!(argon2(40, 20_480, 1000), (20_480, 2, ms(40)));
        assert_eq!(argon2(1, 65_536, 1000), (7168, 5, ms(35)));
        assert_eq!(argon2(250, 7168, 1000), (7168, 16, ms(112)));
    }
}
