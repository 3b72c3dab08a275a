//! Moments in UTC as RFC 3339 writes them.

use std::fmt;

/// A time as text; see [`rfc3339`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Rfc3339(pub(super) [u8; 24]);

impl fmt::Display for Rfc3339 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| fmt::Write::write_char(f, char::from(*byte)))
    }
}

impl fmt::Debug for Rfc3339 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Formats times and caches the last one. Readings of one batch share a time, and its text is a
/// fifth of the cost of a line.
#[derive(Debug, Clone, Copy)]
pub struct Moments {
    unix_ms: u64,
    text: Rfc3339,
}

impl Default for Moments {
    fn default() -> Self {
        Moments {
            unix_ms: 0,
            text: Rfc3339(*b"1970-01-01T00:00:00.000Z"),
        }
    }
}

impl Moments {
    #[inline]
    pub fn text(&mut self, unix_ms: u64) -> Rfc3339 {
        if self.unix_ms != unix_ms {
            *self = Moments {
                unix_ms,
                text: rfc3339(unix_ms),
            };
        }
        self.text
    }
}

/// Formats Unix milliseconds as `2026-11-21T23:19:07.042Z`. Later times than the year 9999 are
/// formatted as its last millisecond.
pub fn rfc3339(unix_ms: u64) -> Rfc3339 {
    const LAST_MS: u64 = 253_402_300_799_999;
    const DAY_MS: u64 = 86_400_000;
    let unix_ms = unix_ms.min(LAST_MS);
    // Both fit 32 bits: days before the year 10,000, and milliseconds of one day.
    let (day, ms) = ((unix_ms / DAY_MS) as u32, (unix_ms % DAY_MS) as u32);
    let (year, month, day) = date(day);
    let mut text = *b"0000-00-00T00:00:00.000Z";
    let mut put = |end: usize, digits: usize, mut number: u32| {
        for digit in text[end - digits..end].iter_mut().rev() {
            *digit = b'0' + (number % 10) as u8;
            number /= 10;
        }
    };
    put(4, 4, year);
    put(7, 2, month);
    put(10, 2, day);
    put(13, 2, ms / 3_600_000);
    put(16, 2, ms / 60_000 % 60);
    put(19, 2, ms / 1000 % 60);
    put(23, 3, ms % 1000);
    Rfc3339(text)
}

/// Year, month and day of a day number after 1970-01-01 (Gregorian calendar). The calculation
/// counts years from March, so that 29 February is the last day of a year.
fn date(day: u32) -> (u32, u32, u32) {
    const DAYS_OF_400_YEARS: u32 = 146_097;
    // Day 0 is 0000-03-01.
    let day = day + 719_468;
    let (centuries, day) = (day / DAYS_OF_400_YEARS, day % DAYS_OF_400_YEARS);
    // Removes the leap days before this year; every 400th year has one more.
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // From March on, each group of five months has 153 days.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let next_year = month >= 10;
    let month = if next_year { month - 9 } else { month + 3 };
    (400 * centuries + year + u32::from(next_year), month, day)
}
