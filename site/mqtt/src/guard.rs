//! Admission to the embedded broker: authentication, limits per user, and rights to publish and
//! subscribe.

use std::collections::HashMap;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mqtt5::broker::auth::{AuthProvider, AuthResult};
use mqtt5::broker::{BrokerEventHandler, ClientConnectEvent, ClientDisconnectEvent};
use mqtt5::packet::connect::ConnectPacket;
use mqtt5::protocol::v5::reason_codes::ReasonCode;
use selo_base::address::neighbourhood;
use tracing::warn;

use crate::access::Rights;
use crate::front::Visitors;
use crate::throttle::Throttle;

/// How long a subscriber may be away before its session is forgotten, at most.
pub(crate) const SESSION_MAX: Duration = Duration::from_secs(24 * 3600);

/// Maximum wrong passwords of one address for one user in [`WINDOW`].
const FAILURES: u32 = 10;
const WINDOW: Duration = Duration::from_secs(60);
/// Maximum pairs of address and user that are counted. The oldest are dropped.
const COUNTED: usize = 4096;
/// Maximum persistent sessions per user. The broker queues messages for each.
const SESSIONS: usize = 16;
/// Maximum connections per user.
const CONNECTIONS: usize = 256;

/// Wrong passwords, counted by address and user together. A stranger therefore cannot lock out an
/// operator, and one user behind a shared address cannot lock out the others.
#[derive(Debug, Default)]
struct Failures {
    counts: HashMap<(IpAddr, String), (Instant, u32)>,
}

impl Failures {
    fn too_many(&self, key: &(IpAddr, String), now: Instant) -> bool {
        self.counts
            .get(key)
            .is_some_and(|(since, count)| now.duration_since(*since) < WINDOW && *count >= FAILURES)
    }

    fn count(&mut self, key: (IpAddr, String), now: Instant) {
        if self.counts.len() >= COUNTED && !self.counts.contains_key(&key) {
            self.counts
                .retain(|_, (since, _)| now.duration_since(*since) < WINDOW);
            let oldest = self.counts.iter().min_by_key(|(_, (since, _))| *since);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone())
                && self.counts.len() >= COUNTED
            {
                self.counts.remove(&oldest);
            }
        }
        let entry = self.counts.entry(key).or_insert((now, 0));
        if now.duration_since(entry.0) >= WINDOW {
            *entry = (now, 0);
        }
        entry.1 += 1;
    }
}

/// A session, as counted against its user's limits.
#[derive(Debug)]
struct Session {
    user: String,
    connected: u32,
    /// Time for which the broker keeps it after its connection ends.
    kept: Duration,
    since: Instant,
}

impl Session {
    fn lives(&self, now: Instant) -> bool {
        self.connected > 0 || now.duration_since(self.since) < self.kept.max(WINDOW)
    }
}

/// The sessions by client id.
#[derive(Debug, Default)]
struct Sessions {
    known: HashMap<String, Session>,
}

impl Sessions {
    /// Admits a client, or returns the reason for refusing it. A client id belongs to its first
    /// user, so nobody can take over another user's session.
    fn admit(
        &mut self,
        user: &str,
        client: &str,
        kept: Duration,
        now: Instant,
    ) -> Result<(), &'static str> {
        self.known.retain(|_, session| session.lives(now));
        if client.is_empty() {
            // The broker assigns a unique client id.
            return Ok(());
        }
        if let Some(session) = self.known.get_mut(client) {
            if session.user != user {
                return Err("the client id belongs to another user");
            }
            (session.kept, session.since) = (kept, now);
            return Ok(());
        }
        let own = || self.known.values().filter(|session| session.user == user);
        if own().count() >= CONNECTIONS {
            return Err("the user has too many connected clients");
        }
        if !kept.is_zero() && own().filter(|session| !session.kept.is_zero()).count() >= SESSIONS {
            return Err("the user has too many persistent sessions");
        }
        let session = Session {
            user: user.into(),
            connected: 0,
            kept,
            since: now,
        };
        self.known.insert(client.into(), session);
        Ok(())
    }

    fn connected(&mut self, client: &str) {
        if let Some(session) = self.known.get_mut(client) {
            session.connected += 1;
        }
    }

    fn gone(&mut self, client: &str, now: Instant) {
        if let Some(session) = self.known.get_mut(client) {
            session.connected = session.connected.saturating_sub(1);
            session.since = now;
        }
    }
}

/// Checks every connection, publication and subscription against the rights and limits.
pub(crate) struct Guard {
    rights: Rights,
    visitors: Arc<Visitors>,
    failures: Mutex<Failures>,
    sessions: Mutex<Sessions>,
    said: Mutex<Throttle>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Escapes and truncates text that a stranger chose, so that it is safe in a log line.
fn shown(text: &str) -> String {
    text.chars()
        .take(128)
        .flat_map(char::escape_debug)
        .collect()
}

impl Guard {
    pub fn new(rights: Rights, visitors: Arc<Visitors>) -> Guard {
        Guard {
            rights,
            visitors,
            failures: Mutex::default(),
            sessions: Mutex::default(),
            said: Mutex::default(),
        }
    }

    fn warn(&self, address: IpAddr, user: &str, what: &str, topic: &str) {
        if let Some(before) = lock(&self.said).ask(address) {
            let (user, topic) = (shown(user), shown(topic));
            warn!(from = %address, user, topic, before, "{what}");
        }
    }

    fn decide(&self, connect: &ConnectPacket, inner: SocketAddr) -> AuthResult {
        let user = connect.username.as_deref().unwrap_or_default();
        let password = connect.password.as_deref().unwrap_or_default();
        let Some(address) = self.visitors.behind(inner) else {
            warn!(from = %inner, "a connection did not come through the broker's listener");
            return AuthResult::fail(ReasonCode::NotAuthorized);
        };
        let (ip, now) = (address.ip(), Instant::now());
        let key = (neighbourhood(ip), user.to_owned());
        if lock(&self.failures).too_many(&key, now) {
            return AuthResult::fail(ReasonCode::ConnectionRateExceeded);
        }
        if !self.rights.authenticate(user, password) {
            lock(&self.failures).count(key, now);
            self.warn(ip, user, "a client gave a wrong name or password", "");
            return AuthResult::fail(ReasonCode::BadUsernameOrPassword);
        }
        if let Some(will) = &connect.will
            && !self.rights.may_write(user, &connect.client_id, &will.topic)
        {
            // The broker publishes it after the connection has ended, without another check.
            let what = "a client's last will is for a topic that it may not write";
            self.warn(ip, user, what, &will.topic);
            return AuthResult::fail(ReasonCode::NotAuthorized);
        }
        let admitted = lock(&self.sessions).admit(user, &connect.client_id, kept(connect), now);
        if let Err(why) = admitted {
            self.warn(ip, user, why, "");
            return AuthResult::fail(ReasonCode::QuotaExceeded);
        }
        self.visitors.passed(inner);
        AuthResult::success_with_user(user)
    }
}

/// Time for which the broker must keep the session. MQTT 3.1.1 without a clean session: the
/// maximum.
fn kept(connect: &ConnectPacket) -> Duration {
    if connect.protocol_version < 5 {
        return if connect.clean_start {
            Duration::ZERO
        } else {
            SESSION_MAX
        };
    }
    let asked = connect
        .properties
        .get_session_expiry_interval()
        .unwrap_or(0);
    Duration::from_secs(u64::from(asked)).min(SESSION_MAX)
}

type Answer<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl AuthProvider for Guard {
    fn authenticate<'a>(
        &'a self,
        connect: &'a ConnectPacket,
        from: SocketAddr,
    ) -> Answer<'a, mqtt5::error::Result<AuthResult>> {
        let result = self.decide(connect, from);
        Box::pin(async move { Ok(result) })
    }

    fn authorize_publish<'a>(
        &'a self,
        client_id: &str,
        user_id: Option<&'a str>,
        topic: &'a str,
    ) -> Answer<'a, bool> {
        let allowed = user_id.is_some_and(|user| self.rights.may_write(user, client_id, topic));
        if !allowed {
            self.warn(
                NOBODY,
                user_id.unwrap_or_default(),
                "a client may not publish there",
                topic,
            );
        }
        Box::pin(async move { allowed })
    }

    fn authorize_subscribe<'a>(
        &'a self,
        client_id: &str,
        user_id: Option<&'a str>,
        topic_filter: &'a str,
    ) -> Answer<'a, bool> {
        let allowed =
            user_id.is_some_and(|user| self.rights.may_read(user, client_id, topic_filter));
        if !allowed {
            let what = "a client may not subscribe to that";
            self.warn(NOBODY, user_id.unwrap_or_default(), what, topic_filter);
        }
        Box::pin(async move { allowed })
    }
}

/// The broker does not report the client's address when it checks rights, so all clients share
/// one log line per minute.
const NOBODY: IpAddr = IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED);

/// Counts connections as the broker reports them.
pub(crate) struct Counting(pub Arc<Guard>);

impl BrokerEventHandler for Counting {
    fn on_client_connect<'a>(&'a self, event: ClientConnectEvent) -> Answer<'a, ()> {
        lock(&self.0.sessions).connected(&event.client_id);
        Box::pin(async {})
    }

    fn on_client_disconnect<'a>(&'a self, event: ClientDisconnectEvent) -> Answer<'a, ()> {
        lock(&self.0.sessions).gone(&event.client_id, Instant::now());
        Box::pin(async {})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn a_name_belongs_to_the_user_who_had_it_first() {
        let (mut sessions, now) = (Sessions::default(), Instant::now());
        assert!(sessions.admit("collector", "c", HOUR, now).is_ok());
        assert!(sessions.admit("viewer", "c", HOUR, now).is_err());
        assert!(sessions.admit("collector", "c", HOUR, now).is_ok());
        sessions.connected("c");
        let later = now + 25 * HOUR;
        assert!(
            sessions.admit("viewer", "c", HOUR, later).is_err(),
            "the session is connected"
        );
        sessions.gone("c", later);
        assert!(sessions.admit("viewer", "c", HOUR, later + HOUR).is_ok());
    }

    #[test]
    fn a_user_has_few_kept_sessions_and_the_others_are_not_concerned() {
        let (mut sessions, now) = (Sessions::default(), Instant::now());
        for n in 0..SESSIONS {
            assert!(
                sessions
                    .admit("viewer", &format!("v{n}"), HOUR, now)
                    .is_ok()
            );
        }
        assert!(sessions.admit("viewer", "more", HOUR, now).is_err());
        assert!(
            sessions.admit("viewer", "v3", HOUR, now).is_ok(),
            "the session exists"
        );
        assert!(
            sessions
                .admit("viewer", "clean", Duration::ZERO, now)
                .is_ok()
        );
        assert!(sessions.admit("collector", "c", HOUR, now).is_ok());
        assert!(
            sessions.admit("viewer", "more", HOUR, now + HOUR).is_ok(),
            "the sessions have expired"
        );
    }

    #[test]
    fn failures_count_for_an_address_and_a_user_together() {
        let (mut failures, now) = (Failures::default(), Instant::now());
        let key = |last: u8, user: &str| (IpAddr::from([192, 0, 2, last]), user.to_owned());
        for _ in 0..FAILURES {
            assert!(!failures.too_many(&key(1, "operator"), now));
            failures.count(key(1, "operator"), now);
        }
        assert!(failures.too_many(&key(1, "operator"), now));
        assert!(
            !failures.too_many(&key(2, "operator"), now),
            "a login from another address"
        );
        assert!(!failures.too_many(&key(1, "gateway"), now), "somebody else");
        assert!(!failures.too_many(&key(1, "operator"), now + WINDOW));
        for n in 0..COUNTED as u32 + 500 {
            failures.count((IpAddr::from(n.to_be_bytes()), "x".into()), now);
        }
        assert!(failures.counts.len() <= COUNTED);
    }

    #[test]
    fn what_a_stranger_chose_stays_on_one_line() {
        assert_eq!(shown("a\nb\u{1b}[31m"), "a\\nb\\u{1b}[31m");
        assert!(shown(&"x".repeat(1000)).len() <= 128);
    }
}
