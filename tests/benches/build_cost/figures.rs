//! Times and what is said about them.

use std::fmt;
use std::time::Duration;

/// How long the same thing took, round by round.
#[derive(Default)]
pub(crate) struct Times(Vec<f64>);

impl Times {
    pub(crate) fn push(&mut self, took: Duration) {
        self.0.push(took.as_secs_f64());
    }

    fn median(&self) -> f64 {
        spread(&self.0).median
    }

    /// What this took more than the other, in the same rounds: what disturbs a round disturbs both of its halves.
    pub(crate) fn more_than(&self, other: &Self) -> Difference {
        let differences: Vec<_> = self.0.iter().zip(&other.0).map(|(own, other)| own - other).collect();
        Difference { spread: spread(&differences), other: other.median() }
    }
}

/// `1.23 (1.20 to 1.31)`: median, least and most, in seconds. What is short has more decimals.
impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spread { median, least, most } = spread(&self.0);
        let decimals = decimals(median);
        write!(f, "{median:.decimals$} ({least:.decimals$} to {most:.decimals$})")
    }
}

/// How two series of times differ.
pub(crate) struct Difference {
    spread: Spread,
    /// How long the other took.
    other: f64,
}

/// `+0.05 (-0.01 to +0.07), +4 %`: median, least and most of the rounds in seconds, and the median as a part of what
/// the other took.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spread { median, least, most } = self.spread;
        let decimals = decimals(self.other);
        write!(f, "{median:+.decimals$} ({least:+.decimals$} to {most:+.decimals$}), ")?;
        write!(f, "{:+.0} %", median / self.other * 100.0)
    }
}

/// How many make sense beside a time.
fn decimals(seconds: f64) -> usize {
    match seconds {
        10.0.. => 1,
        1.0.. => 2,
        _ => 3,
    }
}

#[derive(Clone, Copy)]
struct Spread {
    median: f64,
    least: f64,
    most: f64,
}

fn spread(values: &[f64]) -> Spread {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let at = |index: usize| values.get(index).copied().unwrap_or(f64::NAN);
    let last = values.len().saturating_sub(1);
    // With an even number of rounds it is between the two in the middle.
    let median = f64::midpoint(at(last / 2), at(last.div_ceil(2)));
    Spread { median, least: at(0), most: at(last) }
}
