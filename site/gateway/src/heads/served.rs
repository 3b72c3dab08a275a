//! What the threads of the listener do for a head: meet it, carry its frames, and pass on those that
//! have waited for better copies.

use std::collections::HashMap;
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustls::ServerConfig;
use tracing::{debug, info, warn};

use super::connected::{Connected, Connection, Mine};
use super::gather::{Copy, Gather};
use super::identity::certificate;
use super::link::{Ended, Link, first_message};
use super::store::{All, Store};
use super::strangers::Strangers;
use super::tls::{Expected, Known};
use super::wire::{Malformed, Message, Signal, VERSION};
use crate::counters::{Count, Shared};
use crate::error::Result;
use crate::limit::{Bucket, Rate, Tick};
use crate::peer::{HeadPeer, Peer};
use crate::worker::Remote;

/// Frames of one head. A LoRa concentrator hears fewer than 500 a second.
const FRAMES: Rate = Rate::new(1000, 2000);
/// The longest wait of the thread that passes frames on.
const IDLE: Duration = Duration::from_secs(1);

/// Frames that wait for better copies, shared by all connections.
pub(super) struct Gathering {
    pub(super) gather: Mutex<Gather<HeadPeer>>,
    pub(super) more: Condvar,
    pub(super) stop: AtomicBool,
}

/// What the threads share.
pub(super) struct Parts {
    pub(super) store: Store,
    pub(super) tls: Arc<ServerConfig>,
    pub(super) known: Arc<Known>,
    pub(super) connected: Arc<Connected>,
    pub(super) gathering: Gathering,
    pub(super) remote: Remote,
    pub(super) counters: Arc<Shared>,
    pub(super) started: Instant,
    pub(super) strangers: Mutex<Strangers>,
}

impl Parts {
    pub(super) fn stopping(&self) -> bool {
        self.gathering.stop.load(Ordering::Acquire)
    }

    /// Reads the heads from the disk, and ends the connections of those that are gone.
    pub(super) fn look(&self) -> Result<()> {
        let All { heads, damaged } = match self.store.all() {
            Ok(all) => all,
            Err(error) => {
                let hint = error.hint();
                warn!(%error, hint, "cannot read the list of heads; those known before stay");
                return Err(error);
            }
        };
        for error in damaged {
            let hint = error.hint();
            warn!(%error, hint, "a head is left out");
        }
        let known = heads.iter().filter_map(|(name, head)| {
            Some(Expected {
                name: name.clone(),
                number: head.number,
                certificate: certificate(&head.certificate)?.to_vec(),
                knock: head.knock.clone(),
            })
        });
        let known = known.collect();
        let numbers: HashMap<u16, &str> = heads
            .iter()
            .map(|(name, head)| (head.number, name.as_str()))
            .collect();
        self.known.set(known);
        for (number, connection) in self.connected.all() {
            if numbers.get(&number) != Some(&connection.name.as_str()) {
                info!(
                    head = connection.name,
                    "the head was removed; its connection ends"
                );
                connection.end();
            }
        }
        Ok(())
    }

    pub(super) fn strangers(&self) -> MutexGuard<'_, Strangers> {
        self.strangers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn serve(&self, socket: TcpStream, from: SocketAddr, stranger: u64) {
        let met = self.meet(socket, from, stranger);
        self.strangers().leave(stranger);
        let (link, number, mine) = match met {
            Ok(met) => met,
            Err(error) => {
                debug!(%from, %error, "a connection to the port of heads came to nothing");
                return;
            }
        };
        let connection = mine.connection.clone();
        self.connected.enter(number, &connection);
        self.count();
        info!(head = connection.name, %from, "a head is connected");
        let error = match self.carry(link, number, mine) {
            Ok(()) => "this end closed it".to_owned(),
            Err(error) => error.to_string(),
        };
        self.connected.leave(number, &connection);
        self.count();
        info!(head = connection.name, why = error, "a head is gone");
    }

    fn count(&self) {
        let connected = self.connected.all().len() as u64;
        self.counters.set(Count::Heads, connected);
    }

    /// The handshake, up to the head's HELLO.
    fn meet(
        &self,
        socket: TcpStream,
        from: SocketAddr,
        stranger: u64,
    ) -> std::result::Result<(Link, u16, Mine), Ended> {
        let first = first_message(&socket)?;
        let head = first
            .client_hello()
            .server_name()
            .and_then(|name| self.known.knocks(name));
        // No signature for strangers.
        if !head.is_some_and(|head| self.strangers().knocked(stranger, head)) {
            return Err(Ended::Unknown);
        }
        let tls = first
            .into_connection(self.tls.clone())
            .map_err(|(error, _)| error)?;
        let mut link = Link::new(socket, tls.into())?;
        let (_wake, awake) = UnixStream::pair()?;
        awake.set_nonblocking(true)?;
        let mut greeted = false;
        while !greeted {
            link.wait(&awake, None)?;
            if self.stopping() {
                return Err(Ended::Closed);
            }
            // A head says nothing else before it has the answer.
            link.turn(|_, message| {
                greeted = matches!(message, Message::Hello { .. });
                greeted.then_some(()).ok_or(Ended::Malformed(Malformed))
            })?;
        }
        link.greeted();
        // The list of heads may have changed since the handshake looked at it.
        let peer = link
            .peer()
            .and_then(|certificate| self.known.find(certificate));
        let (name, number) = peer.ok_or(Ended::Closed)?;
        link.send(&Message::Hello {
            version: VERSION,
            head: number,
        });
        let mine = Connected::sides(name, from)?;
        Ok((link, number, mine))
    }

    /// Carries frames until one end has enough.
    fn carry(&self, mut link: Link, number: u16, mine: Mine) -> std::result::Result<(), Ended> {
        let connection = mine.connection.clone();
        let mut frames = Bucket::default();
        loop {
            link.turn(|_, message| {
                if let Message::Heard {
                    way,
                    signal,
                    age_ms,
                    frame,
                } = message
                {
                    let waited = &connection.counts.waited_ms;
                    waited.fetch_add(age_ms.into(), Ordering::Relaxed);
                    let from = HeadPeer { head: number, way };
                    self.heard(&connection, &mut frames, from, signal, &frame);
                }
                Ok(())
            })?;
            if connection.is_over() || self.stopping() {
                link.close();
                return Ok(());
            }
            for (way, frame) in mine.answers.try_iter() {
                if !link.send(&Message::Send { way, frame }) {
                    self.counters.add(Count::SendErrors, 1);
                }
            }
            link.flush()?;
            link.wait(&mine.awake, None)?;
        }
    }

    fn heard(
        &self,
        connection: &Connection,
        frames: &mut Bucket,
        from: HeadPeer,
        signal: Signal,
        frame: &[u8],
    ) {
        let now = Instant::now();
        let tick = Tick::from_ms((now - self.started).as_millis() as u64);
        connection.counts.heard.fetch_add(1, Ordering::Relaxed);
        self.counters.add(Count::HeadFrames, 1);
        if !frames.take(FRAMES, 1, tick) {
            connection.counts.limited.fetch_add(1, Ordering::Relaxed);
            self.counters.add(Count::HeadFramesLimited, 1);
            return;
        }
        let copy = {
            let mut gather = self
                .gathering
                .gather
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            gather.heard(now, from, signal, frame)
        };
        match copy {
            Copy::First => self.gathering.more.notify_one(),
            Copy::Further => self.counters.add(Count::HeadCopies, 1),
            Copy::Alone => self.deliver(from, signal, frame),
        }
    }

    fn deliver(&self, from: HeadPeer, signal: Signal, frame: &[u8]) {
        if let Some(connection) = self.connected.get(from.head) {
            connection.counts.best.fetch_add(1, Ordering::Relaxed);
        }
        if !self
            .remote
            .packet(Peer::Head(from), signal.rssi, frame.to_vec())
        {
            self.counters.add(Count::HeadFramesLimited, 1);
        }
    }

    /// Passes on frames that have waited long enough.
    pub(super) fn pass_on(&self) {
        let Gathering { gather, more, stop } = &self.gathering;
        let mut waiting = gather.lock().unwrap_or_else(PoisonError::into_inner);
        while !stop.load(Ordering::Acquire) {
            if let Some((from, signal, frame)) = waiting.due(Instant::now()) {
                drop(waiting);
                self.deliver(from, signal, &frame);
                waiting = gather.lock().unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let wait = waiting.deadline().map_or(IDLE, |at| {
                at.saturating_duration_since(Instant::now()) + Duration::from_micros(100)
            });
            (waiting, _) = more
                .wait_timeout(waiting, wait)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}
