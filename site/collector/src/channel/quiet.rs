//! Quiet hours: the time of the day in which a channel holds back all but critical alarms.

use jiff::Timestamp;
use jiff::civil::Time;
use serde::{Deserialize, Serialize};

use crate::settings::Zone;

/// A span of the day, of the site's time zone. It may pass midnight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// `22:00`
    pub from: String,
    /// `06:30`, excluded.
    pub to: String,
}

impl Span {
    /// The two times, if both are `HH:MM` and differ.
    pub fn times(&self) -> Option<(Time, Time)> {
        let time = |text: &str| {
            let (hour, minute) = text.split_once(':')?;
            let digits = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
            if !digits(hour) || !digits(minute) {
                return None;
            }
            Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()
        };
        let (from, to) = (time(&self.from)?, time(&self.to)?);
        (from != to).then_some((from, to))
    }
}

/// Quiet hours together with the site's time zone, which may change while the program runs.
#[derive(Debug, Clone)]
pub struct Quiet {
    pub span: Span,
    pub zone: Zone,
}

impl PartialEq for Quiet {
    fn eq(&self, other: &Quiet) -> bool {
        self.span == other.span
    }
}

impl Quiet {
    /// Returns true if the time, in Unix ms, lies in the quiet hours.
    pub fn holds(&self, now: i64) -> bool {
        let (Some((from, to)), Ok(now)) = (self.span.times(), Timestamp::from_millisecond(now))
        else {
            return false;
        };
        let time = now.to_zoned(self.zone.now()).time();
        if from < to {
            from <= time && time < to
        } else {
            from <= time || time < to
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quiet(from: &str, to: &str, zone: &str) -> Quiet {
        let at = Zone::default();
        at.set(zone).expect("a zone");
        Quiet {
            span: Span {
                from: from.into(),
                to: to.into(),
            },
            zone: at,
        }
    }

    #[test]
    fn the_night_passes_midnight_and_is_local() {
        // 2026-11-21T12:00:00Z
        let noon = 1_795_262_400_000;
        let hour = 3_600_000;
        let night = quiet("22:00", "06:00", "America/Sao_Paulo"); // three hours behind
        for (utc, holds) in [
            (0, false),
            (1, true),
            (5, true),
            (8, true),
            (9, false),
            (24, false),
        ] {
            assert_eq!(night.holds(noon + (utc - 12) * hour), holds, "{utc} h");
        }
        let lunch = quiet("12:00", "13:00", "UTC");
        assert!(lunch.holds(noon) && !lunch.holds(noon - 1) && !lunch.holds(noon + hour));
        for (from, to) in [
            ("22", "06:00"),
            ("24:00", "06:00"),
            ("1:00", "2:00"),
            ("06:00", "06:00"),
        ] {
            assert!(quiet(from, to, "UTC").span.times().is_none(), "{from} {to}");
        }
    }
}
