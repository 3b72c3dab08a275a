//! Failed-login counters. A counter belongs to an account and a place together, so nobody can
//! lock another person's account from elsewhere.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

/// Failed logins to one account from one place before it must wait.
pub const FAILURES_MAX: u32 = 5;
/// Failed logins from one address, over all accounts.
pub const OF_ADDRESS_MAX: u32 = 30;
/// Failures count for this long, in ms.
pub const FAILURES_MS: i64 = 60_000;
/// Maximum number of counters. The oldest is dropped when there are more.
const COUNTS_MAX: usize = 10_000;

/// Counters that each last one minute.
#[derive(Debug)]
pub struct Counts<K>(Mutex<HashMap<K, (i64, u32)>>);

impl<K> Default for Counts<K> {
    fn default() -> Self {
        Counts(Mutex::default())
    }
}

impl<K: Eq + std::hash::Hash + Clone> Counts<K> {
    /// Increments the counter of `key` at `now`. Returns false if it is above `max`.
    pub fn take(&self, key: K, max: u32, now: i64) -> bool {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= COUNTS_MAX && !counts.contains_key(&key) {
            counts.retain(|_, (since, _)| (0..FAILURES_MS).contains(&(now - *since)));
        }
        if counts.len() >= COUNTS_MAX && !counts.contains_key(&key) {
            // Evict the oldest counter: a caller must never be refused because there are many
            // others.
            let oldest = counts.iter().min_by_key(|(_, (since, _))| *since);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                counts.remove(&oldest);
            }
        }
        let entry = counts.entry(key).or_insert((now, 0));
        // A counter also expires if the clock was set back.
        if !(0..FAILURES_MS).contains(&(now - entry.0)) {
            *entry = (now, 0);
        }
        if entry.1 >= max {
            return false;
        }
        entry.1 += 1;
        true
    }

    /// Reverts [`Counts::take`].
    pub fn give_back(&self, key: &K) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, count)) = counts.get_mut(key) {
            *count = count.saturating_sub(1);
        }
    }
}

/// Origin of a login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// An address that belongs to one client, as far as the server knows.
    Address(IpAddr),
    /// An address that many clients share: this machine, or a proxy that does not name its
    /// client.
    Shared(IpAddr),
    /// A browser that has logged in to this account before.
    Browser([u8; 16]),
}

type Key = [u8; 32];

/// Counters of failed logins.
#[derive(Debug, Default)]
pub struct Attempts(Counts<Key>);

/// The counters that one attempt incremented.
#[derive(Debug)]
pub struct Counted(Vec<Key>);

impl Attempts {
    /// Counts an attempt before its outcome is known, so that simultaneous attempts cannot all
    /// pass. Returns `None` if a limit is reached.
    pub fn count(&self, account: &str, place: Origin, now: i64) -> Option<Counted> {
        let mut limits = vec![(key(Some(account), place), FAILURES_MAX)];
        if let Origin::Address(_) = place {
            limits.push((key(None, place), OF_ADDRESS_MAX));
        }
        let mut counted = Counted(Vec::new());
        for (key, max) in limits {
            if !self.0.take(key, max, now) {
                self.forget(counted);
                return None;
            }
            counted.0.push(key);
        }
        Some(counted)
    }

    /// Reverts the count of an attempt that succeeded or was not carried out.
    pub fn forget(&self, counted: Counted) {
        for key in &counted.0 {
            self.0.give_back(key);
        }
    }
}

fn key(account: Option<&str>, place: Origin) -> Key {
    let mut hash = Sha256::new();
    match place {
        Origin::Address(ip) | Origin::Shared(ip) => hash.update(format!("address {ip}\n")),
        Origin::Browser(id) => {
            hash.update(b"browser");
            hash.update(id);
        }
    }
    if let Some(account) = account {
        hash.update(b"account ");
        hash.update(account);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(last: u8) -> Origin {
        Origin::Address(std::net::Ipv4Addr::new(192, 0, 2, last).into())
    }

    #[test]
    #[ignore = "takes long: make test-all runs it"]
    fn a_full_table_refuses_nobody() {
        let counts = Counts::default();
        for n in 0..COUNTS_MAX * 2 {
            assert!(counts.take(n, 1, 0));
        }
        assert!(!counts.take(COUNTS_MAX * 2 - 1, 1, 1));
        assert_eq!(
            counts.0.lock().expect("lock is not poisoned").len(),
            COUNTS_MAX,
            "bounded"
        );
    }

    #[test]
    fn an_account_fails_for_each_place_by_itself() {
        let attempts = Attempts::default();
        for _ in 0..FAILURES_MAX {
            assert!(attempts.count("admin", place(1), 0).is_some());
        }
        assert!(attempts.count("admin", place(1), 1).is_none());
        assert!(attempts.count("maria", place(1), 1).is_some());
        assert!(attempts.count("admin", place(2), 1).is_some());
        assert!(
            attempts
                .count("admin", Origin::Browser([1; 16]), 1)
                .is_some()
        );
        assert!(attempts.count("admin", place(1), FAILURES_MS).is_some());
        assert!(
            attempts.count("admin", place(1), -1).is_some(),
            "the counter expires when the clock is set back"
        );
    }

    #[test]
    fn an_address_tries_only_so_many_accounts() {
        let attempts = Attempts::default();
        let tried = (0..100)
            .filter(|n| attempts.count(&n.to_string(), place(1), 0).is_some())
            .count();
        assert_eq!(tried, OF_ADDRESS_MAX as usize);
        let shared = Origin::Shared(std::net::Ipv4Addr::LOCALHOST.into());
        let tried = (0..100)
            .filter(|n| attempts.count(&n.to_string(), shared, 0).is_some())
            .count();
        assert_eq!(tried, 100);
    }
}
