//! The listener in front of the embedded broker. It accepts connections, terminates TLS, and
//! forwards the bytes to the broker over loopback. mqtt5 completes each handshake before it
//! accepts the next connection, so without this listener one idle client would block all others.
//!
//! A connection waits until its user is known, and few may wait at a time. When there are too
//! many, the oldest waiting connection of the address with the most of them is closed. A flood of
//! idle connections therefore displaces only its own address, and an honest handshake takes
//! milliseconds.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use rustls::ServerConfig;
use selo_base::address::{is_this_machine, neighbourhood};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tracing::{debug, warn};

use crate::throttle::Throttle;

/// Limits on connections, and time limits of a client.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Maximum open connections in total.
    pub connections: usize,
    /// Maximum open connections per address. Does not apply to this machine.
    pub of_address: usize,
    /// Connections of the total that are reserved for this machine: gateway and collector.
    pub reserved: usize,
    /// Maximum connections whose user is not known yet.
    pub waiting: usize,
    /// Time limit for the TLS handshake.
    pub handshake: Duration,
    /// Longest time that a client may read nothing of what it is sent.
    pub write: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 1024,
            of_address: 128,
            reserved: 64,
            waiting: 128,
            handshake: Duration::from_secs(10),
            write: Duration::from_secs(30),
        }
    }
}

/// Size of the forwarding buffer.
const PIECE: usize = 16 << 10;
/// Pause after accepting a connection failed.
const PAUSE: Duration = Duration::from_millis(100);

/// The open connections.
#[derive(Debug, Default)]
struct Table {
    next: u64,
    total: usize,
    of_address: HashMap<IpAddr, usize>,
    /// Waiting connections in the order of their arrival.
    waiting: BTreeMap<u64, (IpAddr, Arc<Notify>)>,
    /// Connections by the loopback address from which they reach the broker.
    inner: HashMap<SocketAddr, (u64, SocketAddr)>,
}

/// The connections of a broker, shared by the listener and the password check.
#[derive(Debug)]
pub(crate) struct Visitors {
    limits: Limits,
    table: Mutex<Table>,
}

impl Visitors {
    pub fn new(limits: Limits) -> Arc<Visitors> {
        Arc::new(Visitors {
            limits,
            table: Mutex::default(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a slot for a new connection, if there is one.
    fn arrive(self: &Arc<Visitors>, address: SocketAddr) -> Option<ConnectionSlot> {
        let ip = neighbourhood(address.ip());
        let mut table = self.lock();
        let limits = &self.limits;
        let mine = table.of_address.get(&ip).copied().unwrap_or(0);
        let (places, own) = if is_this_machine(address.ip()) {
            (limits.connections, usize::MAX)
        } else {
            (limits.connections - limits.reserved, limits.of_address)
        };
        if table.total >= places || mine >= own {
            return None;
        }
        if table.waiting.len() >= limits.waiting {
            table.end_one_waiting();
        }
        let id = table.next;
        table.next += 1;
        table.total += 1;
        *table.of_address.entry(ip).or_default() += 1;
        let ended = Arc::new(Notify::new());
        table.waiting.insert(id, (ip, ended.clone()));
        Some(ConnectionSlot {
            visitors: self.clone(),
            id,
            ip,
            ended,
        })
    }

    /// Returns the client's address behind a connection of the broker; `None` if it did not come
    /// through the listener.
    pub fn behind(&self, inner: SocketAddr) -> Option<SocketAddr> {
        self.lock().inner.get(&inner).map(|(_, address)| *address)
    }

    /// The user of this connection is known, so it no longer counts as waiting.
    pub fn passed(&self, inner: SocketAddr) {
        let mut table = self.lock();
        if let Some((id, _)) = table.inner.get(&inner).copied() {
            table.waiting.remove(&id);
        }
    }
}

impl Table {
    fn end_one_waiting(&mut self) {
        let mut counts: HashMap<IpAddr, usize> = HashMap::new();
        for (ip, _) in self.waiting.values() {
            *counts.entry(*ip).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|(_, count)| *count);
        let oldest = self
            .waiting
            .iter()
            .find(|(_, (ip, _))| most.is_some_and(|(most, _)| most == *ip))
            .map(|(id, _)| *id);
        if let Some((_, ended)) = oldest.and_then(|id| self.waiting.remove(&id)) {
            ended.notify_one();
        }
    }
}

/// A connection's slot. Dropping it frees the slot.
struct ConnectionSlot {
    visitors: Arc<Visitors>,
    id: u64,
    ip: IpAddr,
    /// Notified when the connection must close to make room.
    ended: Arc<Notify>,
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut table = self.visitors.lock();
        table.total -= 1;
        table.waiting.remove(&self.id);
        table.inner.retain(|_, (id, _)| *id != self.id);
        if let Some(count) = table.of_address.get_mut(&self.ip) {
            *count -= 1;
            if *count == 0 {
                table.of_address.remove(&self.ip);
            }
        }
    }
}

/// The listener.
pub(crate) struct Front {
    pub listener: TcpListener,
    /// May be replaced while the listener runs. New connections get the new certificate.
    pub tls: Arc<RwLock<Arc<ServerConfig>>>,
    pub visitors: Arc<Visitors>,
    /// The broker's loopback address.
    pub inner: watch::Receiver<SocketAddr>,
}

impl Front {
    /// Accepts connections until it is dropped.
    pub async fn run(self) {
        let mut refusals = Throttle::default();
        loop {
            let (stream, address) = match self.listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Usually the process has no file descriptors left. They become free when
                    // connections end.
                    warn!("the broker cannot accept a connection: {error}");
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            };
            let Some(place) = self.visitors.arrive(address) else {
                if let Some(before) = refusals.ask(address.ip()) {
                    warn!(from = %address.ip(), before, "too many connections: one was refused");
                }
                continue;
            };
            let tls = self
                .tls
                .read()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            let inner = *self.inner.borrow();
            tokio::spawn(async move {
                let ended = place.ended.clone();
                tokio::select! {
                    result = visit(stream, address, tls, inner, &place) => {
                        if let Err(error) = result {
                            debug!(from = %address, "a connection ended: {error}");
                        }
                    }
                    () = ended.notified() => {
                        debug!(from = %address, "a connection without a user was closed to make room");
                    }
                }
            });
        }
    }
}

/// Serves one connection from its handshake to its end.
async fn visit(
    stream: TcpStream,
    address: SocketAddr,
    tls: Arc<ServerConfig>,
    inner: SocketAddr,
    place: &ConnectionSlot,
) -> std::io::Result<()> {
    let limits = &place.visitors.limits;
    stream.set_nodelay(true)?;
    let outside = timeout(limits.handshake, TlsAcceptor::from(tls).accept(stream)).await??;
    let socket = if inner.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    // Register the address before the broker sees the connection, because it may ask for it at
    // once.
    socket.bind(SocketAddr::new(inner.ip(), 0))?;
    let own = socket.local_addr()?;
    place.visitors.lock().inner.insert(own, (place.id, address));
    let inside = socket.connect(inner).await?;
    inside.set_nodelay(true)?;
    let (from_client, to_client) = tokio::io::split(outside);
    let (from_broker, to_broker) = tokio::io::split(inside);
    tokio::select! {
        result = pass(from_client, to_broker, limits.write) => result,
        result = pass(from_broker, to_client, limits.write) => result,
    }
}

/// Forwards bytes until one side ends, or the receiver reads nothing for too long.
async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    patience: Duration,
) -> std::io::Result<()> {
    let mut piece = vec![0; PIECE];
    loop {
        let count = from.read(&mut piece).await?;
        if count == 0 {
            return timeout(patience, to.shutdown()).await?;
        }
        let mut rest = &piece[..count];
        // Each accepted part restarts the timeout: a slow reader is not a stalled one.
        while !rest.is_empty() {
            let written = timeout(patience, to.write(rest)).await??;
            if written == 0 {
                return Err(std::io::ErrorKind::WriteZero.into());
            }
            rest = &rest[written..];
        }
        timeout(patience, to.flush()).await??;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> SocketAddr {
        SocketAddr::new(text.parse().expect("an address"), 1)
    }

    fn visitors() -> Arc<Visitors> {
        Visitors::new(Limits {
            connections: 10,
            of_address: 6,
            reserved: 2,
            waiting: 4,
            ..Limits::default()
        })
    }

    #[test]
    fn a_flood_costs_its_own_address_the_places() {
        let visitors = visitors();
        let honest = visitors.arrive(address("192.0.2.1")).expect("a place");
        let flood: Vec<ConnectionSlot> = (0..6)
            .map(|_| visitors.arrive(address("192.0.2.66")).expect("a place"))
            .collect();
        assert!(visitors.arrive(address("192.0.2.66")).is_none());
        let table = visitors.lock();
        assert_eq!(table.waiting.len(), 4);
        assert!(
            table.waiting.contains_key(&honest.id),
            "the honest connection keeps waiting"
        );
        assert!(
            !table.waiting.contains_key(&flood[0].id),
            "the oldest connection was closed"
        );
    }

    #[test]
    fn this_machine_has_places_of_its_own() {
        let visitors = visitors();
        let all: Vec<ConnectionSlot> = (0..8)
            .map(|n| {
                visitors
                    .arrive(address(&format!("192.0.2.{n}")))
                    .expect("a place")
            })
            .collect();
        assert!(visitors.arrive(address("192.0.2.100")).is_none());
        let inner = visitors.arrive(address("127.0.0.1"));
        assert!(inner.is_some());
        drop(all);
        drop(inner);
        let table = visitors.lock();
        assert_eq!(
            (table.total, table.waiting.len(), table.of_address.len()),
            (0, 0, 0)
        );
    }
}
