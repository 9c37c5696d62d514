//! Dates in cookies. `httpdate` 1.0 reads fewer of them: not `Wed, 21-Oct-15 07:28:00 GMT`, and none before 1970.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// The time of a date like `Wed, 21 Oct 2026 07:28:00 GMT`, read as browsers do (RFC 6265bis §5.1.1): the parts may have any
/// order. A time before 1970 is 1970.
pub(super) fn parse(text: &str) -> Option<SystemTime> {
    let (mut time, mut day, mut month, mut year) = (None, None, None, None);
    let is_delimiter = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && c != ':';
    for part in text.split(is_delimiter).filter(|part| !part.is_empty()) {
        let number = || part.parse::<i64>().ok().filter(|_| part.bytes().all(|byte| byte.is_ascii_digit()));
        if time.is_none() && part.contains(':') {
            time = Some(seconds(part)?);
        } else if day.is_none() && part.len() <= 2 && number().is_some() {
            day = number();
        } else if month.is_none() && MONTHS.iter().any(|month| starts_with(part, month)) {
            month = MONTHS.iter().zip(1..).find(|(month, _)| starts_with(part, month)).map(|(_, at)| at);
        } else if year.is_none() && (2..=4).contains(&part.len()) && number().is_some() {
            year = number().map(|year| match year {
                70..=99 => 1900 + year,
                0..=69 => 2000 + year,
                _ => year,
            });
        }
    }
    let (time, day, month, year) = (time?, day?, month?, year?);
    let is_valid = (1..=31).contains(&day) && year >= 1601;
    let since = days(year, month, day) * 86_400 + time;
    is_valid.then(|| UNIX_EPOCH + Duration::from_secs(since.try_into().unwrap_or(0)))
}

fn starts_with(part: &str, month: &str) -> bool {
    part.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(month))
}

/// `07:28:00` in seconds.
fn seconds(text: &str) -> Option<i64> {
    let mut parts = text.split(':').map(|part| part.parse::<i64>().ok().filter(|number| *number >= 0));
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    (hour < 24 && minute < 60 && second < 60).then_some(hour * 3600 + minute * 60 + second)
}

/// Days from the 1st of January 1970 to a date of the Gregorian calendar.
const fn days(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March, so that the day that is sometimes there is the last one.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let before_this_year = 365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let before_this_month = (153 * month + 2) / 5;
    before_this_year + before_this_month + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unix(text: &str) -> Option<u64> {
        parse(text).map(|time| time.duration_since(UNIX_EPOCH).unwrap().as_secs())
    }

    #[test]
    fn dates_are_read_as_browsers_do() {
        assert_eq!(unix("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(unix("Wed, 21 Oct 2015 07:28:00 GMT"), Some(1_445_412_480));
        assert_eq!(unix("Wed, 21-Oct-15 07:28:00 GMT"), Some(1_445_412_480));
        assert_eq!(unix("Thu, 29 Feb 2024 23:59:59 GMT"), Some(1_709_251_199));
        assert_eq!(unix("Fri, 31 Dec 1999 23:59:59 GMT"), Some(946_684_799));
        assert_eq!(unix("Sun, 01 Jan 1950 00:00:00 GMT"), Some(0));
        for no_date in
            ["", "tomorrow", "Wed, 21 Oct 2015", "21 2015 07:28:00", "Wed, 21 Oct 2015 24:00:00 GMT"]
        {
            assert_eq!(unix(no_date), None, "{no_date}");
        }
    }

    proptest! {
        /// The crate `cookie` writes the same dates.
        #[test]
        fn a_date_of_another_implementation_is_read(seconds in 0_i64..253_402_300_800) {
            let time = cookie::time::OffsetDateTime::from_unix_timestamp(seconds).unwrap();
            let written = cookie::Cookie::build(("a", "b")).expires(time).to_string();
            let (_, date) = written.split_once("Expires=").unwrap();
            prop_assert_eq!(unix(date), Some(u64::try_from(seconds).unwrap()));
        }
    }
}
