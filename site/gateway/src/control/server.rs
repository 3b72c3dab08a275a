//! Server side of the control socket.

use std::fs;
use std::io::{self, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use selo_link::DeviceId;
use tracing::{info, warn};

use super::{Event, RELOAD_MAX, Reply, Request, Status, read_line, with_short_path};
use crate::counters::{Count, Shared};
use crate::delivery::Names;
use crate::engine::{self, Downlink, PairError, Ticket};
use crate::error::{Error, Result};
use crate::keeper::Keeper;
use crate::reading::Payload;
use crate::registry::{Existing, Record, Registry, check_name};
use crate::state::StateDir;
use crate::worker::{Remote, heard};

/// Maximum number of connections.
const CONNECTIONS_MAX: usize = 16;
/// Devices passed to the engine per job, between two batches of packets.
const CHUNK: usize = 500;
/// Sessions examined per job, between two batches of packets.
const PART: u32 = 10_000;

/// Parts of the gateway that requests use.
#[derive(Debug)]
pub struct Services {
    pub remote: Remote,
    pub keeper: Keeper,
    pub counters: Arc<Shared>,
    pub names: Arc<Names>,
    pub registry_path: PathBuf,
    pub started: Instant,
    pub listen: String,
    pub metrics: Option<String>,
    /// The name that the device of the open window gets.
    pub pairing_name: Mutex<Option<String>>,
}

/// The listening socket. Dropping it removes the socket file.
#[derive(Debug)]
pub struct Server {
    path: PathBuf,
}

impl Server {
    /// Serves the socket in threads of its own. This gateway holds the lock of the state
    /// directory, so an existing socket file is a leftover and is removed.
    pub fn start(state: &StateDir, services: Services) -> Result<Server> {
        let path = state.control();
        let failed = |source| Error::Write {
            path: path.clone(),
            source,
        };
        match fs::remove_file(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
        let listener = with_short_path(&path, |short| UnixListener::bind(short)).map_err(failed)?;
        // The directory has mode 0700, so nobody else can connect before this call.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).map_err(failed)?;
        let services = Arc::new(services);
        std::thread::Builder::new()
            .name("control".into())
            .spawn(move || accept(&listener, &services))
            .map_err(failed)?;
        Ok(Server { path })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A connection wakes the accepting thread, which then sees that the gateway stops.
        let _ = with_short_path(&self.path, |short| UnixStream::connect(short));
        let _ = fs::remove_file(&self.path);
    }
}

fn accept(listener: &UnixListener, services: &Arc<Services>) {
    let connections = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        if services.remote.stopping() {
            return;
        }
        let stream = match stream {
            Ok(stream) => stream,
            Err(error) => {
                warn!(%error, "cannot accept a control connection");
                std::thread::sleep(Duration::from_millis(100));
                continue;
            }
        };
        if connections.fetch_add(1, Ordering::AcqRel) >= CONNECTIONS_MAX {
            connections.fetch_sub(1, Ordering::AcqRel);
            let _ = write(&stream, &Reply::Error("too many connections".into()));
            continue;
        }
        let (services, counted) = (services.clone(), connections.clone());
        let spawned = std::thread::Builder::new()
            .name("control".into())
            .spawn(move || {
                // Ignore write errors: the client has closed the connection.
                let _ = serve(&stream, &services);
                counted.fetch_sub(1, Ordering::AcqRel);
            });
        if spawned.is_err() {
            connections.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

fn write(mut stream: &UnixStream, reply: &Reply) -> io::Result<()> {
    let mut line = serde_json::to_vec(reply)?;
    line.push(b'\n');
    stream.write_all(&line)
}

/// The reason for refusing a request.
type Refusal = String;

const STOPPING: &str = "the gateway is stopping";

fn serve(stream: &UnixStream, services: &Services) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    while let Some(line) = read_line(&mut reader)? {
        let request: Request = match serde_json::from_str(&line) {
            Ok(request) => request,
            Err(error) => {
                write(stream, &Reply::Error(format!("invalid request: {error}")))?;
                continue;
            }
        };
        let answer = match request {
            Request::Status => Ok(Reply::Status(Box::new(services.status()))),
            Request::Flush => services.flush().map(|()| Reply::Done),
            Request::Reload { devices } => services.reload(&devices).map(|()| Reply::Done),
            Request::Confirm { digits, name } => {
                services.confirm(&digits, name).map(|()| Reply::Done)
            }
            Request::Reject => services.reject().map(|()| Reply::Done),
            Request::Pair { seconds, name } => {
                return services.pair(stream, &mut reader, seconds, name);
            }
            Request::Watch => return services.watch(stream, &mut reader),
            Request::Send {
                device,
                payload,
                timed,
                confirmed,
                after_uplink,
                seconds,
            } => {
                match services.downlink(&device, &payload, timed, confirmed, after_uplink, seconds)
                {
                    Ok((ticket, events)) => {
                        return services.follow_message(stream, ticket, confirmed, &events);
                    }
                    Err(refusal) => Err(refusal),
                }
            }
        };
        write(stream, &answer.unwrap_or_else(Reply::Error))?;
    }
    Ok(())
}

impl Services {
    fn status(&self) -> Status {
        let counters = self.counters.snapshot();
        Status {
            version: env!("CARGO_PKG_VERSION").into(),
            pid: std::process::id(),
            uptime_seconds: self.started.elapsed().as_secs(),
            listen: self.listen.clone(),
            metrics: self.metrics.clone(),
            devices: counters.get(Count::Devices),
            sessions: counters.get(Count::Sessions),
            pending: counters.get(Count::Pending),
            readings: counters.get(Count::Readings),
            delivered: counters.get(Count::Delivered),
            dropped: counters.all_dropped(),
        }
    }

    /// Writes the engine's current knowledge of devices to the registry.
    fn flush(&self) -> Result<(), Refusal> {
        let mut slot = 0;
        loop {
            let part = slot..slot + PART;
            let (learnt, slots) = self
                .remote
                .call(move |engine, _, _| (heard(engine, part, 0), engine.slots()))
                .ok_or(STOPPING)?;
            self.keeper.learn(learnt);
            slot += PART;
            if slot >= slots {
                break;
            }
        }
        self.keeper.flush().recv().map_err(|_| STOPPING.to_string())
    }

    fn registry(&self) -> Result<Registry, Refusal> {
        Registry::open(&self.registry_path).map_err(|error| error.to_string())
    }

    /// Applies changes of the registry to the running gateway.
    fn reload(&self, devices: &[String]) -> Result<(), Refusal> {
        if devices.len() > RELOAD_MAX {
            return Err(format!(
                "more than {RELOAD_MAX} devices; send an empty list to reload all"
            ));
        }
        let registry = self.registry()?;
        let failed = |error: Error| error.to_string();
        let (present, absent) = if devices.is_empty() {
            let present = registry.all().map_err(failed)?;
            let known = self
                .remote
                .call(|engine, _, _| engine.device_ids().collect::<Vec<_>>())
                .ok_or(STOPPING)?;
            let ids: std::collections::HashSet<_> =
                present.iter().map(|record| record.id).collect();
            let absent = known.into_iter().filter(|id| !ids.contains(id)).collect();
            (present, absent)
        } else {
            let mut present = Vec::new();
            let mut absent = Vec::new();
            for text in devices {
                let id: DeviceId = text
                    .parse()
                    .map_err(|_| format!("'{text}' is not a valid device id"))?;
                match registry.get(id).map_err(failed)? {
                    Some(record) => present.push(record),
                    None => absent.push(id),
                }
            }
            (present, absent)
        };
        self.take_over(present, absent)
    }

    fn take_over(&self, present: Vec<Record>, absent: Vec<DeviceId>) -> Result<(), Refusal> {
        info!(
            changed = present.len(),
            removed = absent.len(),
            "reloaded devices from the registry"
        );
        {
            let mut names = self.names.write().unwrap_or_else(PoisonError::into_inner);
            for record in &present {
                match &record.name {
                    Some(name) => names.insert(record.id, name.as_str().into()),
                    None => names.remove(&record.id),
                };
            }
            for id in &absent {
                names.remove(id);
            }
        }
        let mut present = present.iter().map(Record::device);
        loop {
            let chunk: Vec<_> = present.by_ref().take(CHUNK).collect();
            if chunk.is_empty() {
                break;
            }
            self.remote
                .call(move |engine, _, out| {
                    for device in chunk {
                        engine.set_device(device, out);
                    }
                })
                .ok_or(STOPPING)?;
        }
        for chunk in absent.chunks(CHUNK) {
            let chunk = chunk.to_vec();
            self.remote
                .call(move |engine, _, out| {
                    for id in chunk {
                        engine.remove_device(id, out);
                    }
                })
                .ok_or(STOPPING)?;
        }
        Ok(())
    }

    fn pair(
        &self,
        stream: &UnixStream,
        reader: &mut BufReader<&UnixStream>,
        seconds: u64,
        name: Option<String>,
    ) -> io::Result<()> {
        if let Some(Err(error)) = name.as_deref().map(check_name) {
            return write(stream, &Reply::Error(error.to_string()));
        }
        let events = self.remote.listen();
        let ms = seconds.saturating_mul(1000);
        let opened = self
            .remote
            .call(move |engine, now, out| engine.pairing_open(now, ms, out));
        let window = match opened {
            Some(Ok(window)) => window,
            Some(Err(error)) => return write(stream, &Reply::Error(error.to_string())),
            None => return write(stream, &Reply::Error(STOPPING.into())),
        };
        *self
            .pairing_name
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = name;
        let followed = self.follow_window(stream, reader, events, window);
        self.remote.call(move |engine, now, out| {
            engine.pairing_leave(now, window, "the operator disconnected", out);
        });
        followed
    }

    fn watch(&self, stream: &UnixStream, reader: &mut BufReader<&UnixStream>) -> io::Result<()> {
        let events = self.remote.listen();
        let looked = self
            .remote
            .call(|engine, _, _| (engine.pairing_window(), engine.pairing_states()));
        let (window, states) = looked.unwrap_or_default();
        if states.is_empty() {
            return write(stream, &Reply::Error(PairError::Closed.to_string()));
        }
        for state in states {
            write(stream, &Reply::Event(state.into()))?;
        }
        self.follow_window(stream, reader, events, window)
    }

    /// Sends events of the window to the client and handles its requests, until the window
    /// closes or the client disconnects.
    fn follow_window(
        &self,
        stream: &UnixStream,
        reader: &mut BufReader<&UnixStream>,
        events: Receiver<engine::Event>,
        window: engine::Window,
    ) -> io::Result<()> {
        std::thread::scope(|scope| {
            scope.spawn(move || {
                // Ends when the window closes or the client disconnects.
                let _ = pass_on_window(stream, &events, window);
                let _ = stream.shutdown(std::net::Shutdown::Both);
            });
            let said = self.take_words(stream, reader);
            let _ = stream.shutdown(std::net::Shutdown::Both);
            said
        })
    }

    fn take_words(
        &self,
        stream: &UnixStream,
        reader: &mut BufReader<&UnixStream>,
    ) -> io::Result<()> {
        while let Some(line) = read_line(reader)? {
            let said = match serde_json::from_str(&line) {
                Ok(Request::Confirm { digits, name }) => self.confirm(&digits, name),
                Ok(Request::Reject) => self.reject(),
                Ok(_) => Err("only confirm and reject are allowed while the window is open".into()),
                Err(error) => Err(format!("invalid request: {error}")),
            };
            if let Err(refusal) = said {
                write(stream, &Reply::Error(refusal))?;
            }
        }
        Ok(())
    }

    /// Finds the attempt with these digits, stores the device, then tells the node. Runs on the
    /// worker's thread, so that no packet is handled in between.
    fn confirm(&self, digits: &str, name: Option<String>) -> Result<(), Refusal> {
        let digits = parse_digits(digits)?;
        if let Some(Err(error)) = name.as_deref().map(check_name) {
            return Err(error.to_string());
        }
        let name = name.or_else(|| {
            self.pairing_name
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone()
        });
        let mut registry = self.registry()?;
        let paired = self
            .remote
            .call(move |engine, now, out| -> Result<Record, Refusal> {
                let matched = engine
                    .pairing_enter(now, digits, out)
                    .map_err(|error| error.to_string())?;
                let mut record = Record::new(matched.device, matched.suite, matched.key);
                record.name = name;
                let record = registry
                    .add(&record, Existing::Replace)
                    .map_err(|error| error.to_string())?;
                engine.set_device(record.device(), out);
                engine
                    .pairing_confirm(now, matched.attempt, out)
                    .map_err(|error| error.to_string())?;
                Ok(record)
            })
            .ok_or(STOPPING)??;
        if let Some(name) = paired.name {
            let mut names = self.names.write().unwrap_or_else(PoisonError::into_inner);
            names.insert(paired.id, name.into());
        }
        Ok(())
    }

    fn reject(&self) -> Result<(), Refusal> {
        self.remote
            .call(|engine, now, out| engine.pairing_reject(now, out))
            .ok_or(STOPPING)?
            .map_err(|error| error.to_string())
    }

    fn downlink(
        &self,
        device: &str,
        payload: &str,
        timed: bool,
        confirmed: bool,
        after_uplink: bool,
        seconds: u64,
    ) -> Result<(Ticket, Receiver<engine::Event>), Refusal> {
        let device: DeviceId = device
            .parse()
            .map_err(|_| format!("'{device}' is not a valid device id"))?;
        let bytes = hex::decode(payload).map_err(|error| format!("invalid payload: {error}"))?;
        let payload = Payload::new(&bytes)
            .ok_or_else(|| format!("{} bytes exceed the maximum size of a message", bytes.len()))?;
        let events = self.remote.listen();
        let queued = self.remote.call(move |engine, now, out| {
            let downlink = Downlink {
                device,
                payload,
                timed,
                confirmed,
                after_uplink,
                until_ms: now.steady_ms.saturating_add(seconds.saturating_mul(1000)),
            };
            engine.send(now, downlink, out)
        });
        let ticket = queued.ok_or(STOPPING)?.map_err(|error| error.to_string())?;
        Ok((ticket, events))
    }

    /// Sends events of a message to the client, until its final state or until the client
    /// disconnects.
    fn follow_message(
        &self,
        stream: &UnixStream,
        ticket: Ticket,
        confirmed: bool,
        events: &Receiver<engine::Event>,
    ) -> io::Result<()> {
        let followed = write(stream, &Reply::Done).and_then(|()| {
            loop {
                match events.recv_timeout(Duration::from_millis(500)) {
                    Ok(engine::Event::Downlink {
                        ticket: of,
                        outcome,
                    }) if of == ticket => {
                        let event = Event::from(outcome);
                        let last = !confirmed || !matches!(event, Event::Sent { .. });
                        write(stream, &Reply::Event(event))?;
                        if last {
                            return Ok(());
                        }
                    }
                    // On a busy gateway, events of others prevent a time-out; check the
                    // connection on every event.
                    Ok(_) | Err(RecvTimeoutError::Timeout) if hung_up(stream) => return Ok(()),
                    Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => {
                        return write(stream, &Reply::Error(STOPPING.into()));
                    }
                }
            }
        });
        self.remote
            .call(move |engine, now, out| engine.cancel(now, ticket, out));
        followed
    }
}

/// Parses six digits. Spaces between them are allowed.
fn parse_digits(text: &str) -> Result<u32, Refusal> {
    let digits: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let is_six = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_six.then(|| digits.parse().ok()).flatten();
    number.ok_or_else(|| "expected six digits".into())
}

/// Sends events of this window only. Events of the previous window may still arrive.
fn pass_on_window(
    stream: &UnixStream,
    events: &Receiver<engine::Event>,
    window: engine::Window,
) -> io::Result<()> {
    loop {
        match events.recv_timeout(Duration::from_millis(500)) {
            Ok(engine::Event::Pairing(of, state)) if of == window => {
                let event = Event::from(state);
                let last = matches!(event, Event::Closed { .. });
                write(stream, &Reply::Event(event))?;
                if last {
                    return Ok(());
                }
            }
            // On a busy gateway, events of others prevent a time-out; check the connection on
            // every event.
            Ok(_) | Err(RecvTimeoutError::Timeout) if hung_up(stream) => return Ok(()),
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

/// True if the client has closed the connection.
fn hung_up(stream: &UnixStream) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut fds = [PollFd::new(stream, PollFlags::empty())];
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut fds, Some(&now)).is_ok_and(|ready| ready > 0)
}

#[cfg(test)]
mod tests {
    use std::io::BufRead;
    use std::sync::atomic::AtomicBool;
    use std::sync::atomic::Ordering::Relaxed;
    use std::sync::mpsc::channel;
    use std::time::Instant;

    use super::*;
    use crate::engine::WindowState;

    #[test]
    fn a_window_is_no_longer_followed_when_its_client_has_gone_though_there_is_always_news() {
        let (server, client) = UnixStream::pair().expect("a connection");
        let (send, events) = channel();
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let news = || engine::Event::NoRandom("none".into());
                while !over.load(Relaxed) && send.send(news()).is_ok() {
                    std::thread::sleep(Duration::from_millis(20));
                }
            });
            scope.spawn(|| {
                // Limits the test's duration. Reaching this limit is a failure.
                let since = Instant::now();
                while !over.load(Relaxed) && since.elapsed() < Duration::from_secs(20) {
                    std::thread::sleep(Duration::from_millis(20));
                }
                let gone = !over.swap(true, Relaxed);
                assert!(!gone, "it is still followed");
            });
            drop(client);
            pass_on_window(&server, &events, 1).expect("ends");
            over.store(true, Relaxed);
        });
    }

    #[test]
    fn only_what_happens_in_its_own_window_is_passed_on() {
        let (server, client) = UnixStream::pair().expect("a connection");
        let (send, events) = channel();
        let closed = |why| WindowState::Closed { why };
        for (window, state) in [
            (6, closed("it timed out")),
            (7, WindowState::Open { entries_left: 3 }),
            (6, closed("the operator disconnected")),
            (7, closed("a device was paired")),
        ] {
            send.send(engine::Event::Pairing(window, state))
                .expect("heard");
        }
        pass_on_window(&server, &events, 7).expect("passes on");
        drop(server);
        let lines: Vec<_> = BufReader::new(client)
            .lines()
            .map(|line| line.expect("text"))
            .collect();
        let said: Vec<Reply> = lines
            .iter()
            .map(|line| serde_json::from_str(line).expect("a reply"))
            .collect();
        let closed = Event::Closed {
            why: "a device was paired".into(),
        };
        let open = Event::Open { entries_left: 3 };
        assert_eq!(said, [Reply::Event(open), Reply::Event(closed)]);
    }
}
