//! Duty cycle: the share of an hour that a transmitter is on the air. Bands limit it (1 % in most
//! of 868 MHz, 10 % at 433 MHz in Europe [EN300220]). The limit can be enforced or only counted.

use std::collections::VecDeque;

use crate::Time;

/// The window of a duty-cycle limit.
pub const HOUR: Time = 3_600_000_000_000;

/// Handling of a transmission that would exceed the limit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Policy {
    /// It is sent and counted.
    #[default]
    Count,
    /// It is suppressed and counted.
    Refuse,
}

/// A duty-cycle limit per hour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// Share of the time; 0.01 is 1 %.
    pub share: f64,
    /// Handling of an excess.
    pub policy: Policy,
}

/// The air time of one transmitter.
#[derive(Debug, Clone, Default)]
pub struct Account {
    /// Start and duration of each transmission within the last hour.
    recent: VecDeque<(Time, Time)>,
    recent_sum: Time,
    total: Time,
    exceeded: u64,
    refused: u64,
}

impl Account {
    /// Requests to transmit for `airtime` from now on. Returns false if it is not allowed.
    pub fn ask(&mut self, now: Time, airtime: Time, limit: Option<Limit>) -> bool {
        while let Some((began, took)) = self.recent.front().copied() {
            if began + HOUR > now {
                break;
            }
            self.recent.pop_front();
            self.recent_sum -= took;
        }
        if let Some(limit) = limit {
            let allowed = (limit.share * HOUR as f64) as Time;
            if self.recent_sum + airtime > allowed {
                self.exceeded += 1;
                if limit.policy == Policy::Refuse {
                    self.refused += 1;
                    return false;
                }
            }
        }
        self.recent.push_back((now, airtime));
        self.recent_sum += airtime;
        self.total += airtime;
        true
    }

    /// Time on the air since the start.
    pub fn total(&self) -> Time {
        self.total
    }

    /// Transmissions that exceeded the limit, sent or suppressed.
    pub fn exceeded(&self) -> u64 {
        self.exceeded
    }

    /// Transmissions that were suppressed.
    pub fn refused(&self) -> u64 {
        self.refused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Time = 1_000_000_000;

    fn one_percent(policy: Policy) -> Option<Limit> {
        Some(Limit {
            share: 0.01,
            policy,
        })
    }

    #[test]
    fn thirty_six_seconds_of_each_hour_and_no_more() {
        let mut account = Account::default();
        let limit = one_percent(Policy::Refuse);
        let mut ask = |at: Time| account.ask(at * SECOND, SECOND, limit);
        for second in 0..36 {
            assert!(ask(2 * second), "{second}");
        }
        assert!(!ask(72));
        assert!(!ask(3_599));
        // The first transmission is an hour old, so exactly one more is allowed.
        assert!(ask(3_600));
        assert!(!ask(3_601));
        assert!(ask(3_602));
        assert_eq!(account.refused(), 3);
        assert_eq!(account.total(), 38 * SECOND);
    }

    #[test]
    fn counting_lets_everything_pass() {
        let mut account = Account::default();
        for second in 0..40 {
            assert!(account.ask(second * SECOND, SECOND, one_percent(Policy::Count)));
        }
        assert_eq!((account.exceeded(), account.refused()), (4, 0));
        assert!(account.ask(0, HOUR, None), "no limit");
    }
}
