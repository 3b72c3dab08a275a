//! Selo's own gateway in a separate process, and its devices, which have joined by its protocol.
//! Readings are sealed before the clock runs.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use selo_gateway::control::{Client, Reply, Request, Status};
use selo_gateway::registry::{Existing, Record, Registry};
use selo_gateway::state::StateDir;
use selo_link::frame::{FRAME_MAX, Frame, JoinRequest};
use selo_link::join::{JoinAttempt, SessionKeys};
use selo_link::session::{SealOptions, Session};
use selo_link::{DeviceId, DeviceKey, EphemeralSecret, Suite, random_bytes};

use crate::error::{Error, Result};
use crate::load::{Addresses, BATCH, Frames, READING_BYTES};
use crate::process::Process;

const NAME: &str = "selo gateway";

/// Simultaneous joins, each from its own address.
const WAVE: usize = 128;

/// Registry rows per transaction.
const ROWS: usize = 50_000;

/// Time limit for the gateway to start with all its devices, and to answer.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running `selo gateway`.
#[derive(Debug)]
pub struct SealedGateway {
    pub process: Process,
    pub address: SocketAddr,
    client: Client,
}

impl SealedGateway {
    /// Starts the command `selo`, at `program`, on a state that already has the devices. All
    /// settings are defaults, including the journal and the limits, but the readings are
    /// discarded.
    pub fn start(program: &Path, state: &Path) -> Result<SealedGateway> {
        let mut command = Command::new(program);
        command.arg("gateway").arg("--state").arg(state).args([
            "--listen",
            "127.0.0.1:0",
            "--log",
            "warn",
        ]);
        let mut process = Process::start_unheard(NAME, &mut command)?;
        let directory = StateDir::open(state)?;
        let start = Instant::now();
        let mut client = loop {
            match Client::connect(&directory) {
                Ok(client) => break client,
                Err(_) if process.is_running() && start.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(error) => return Err(process.broken(format!("it did not start: {error}"))),
            }
        };
        let listen = status(&mut client, &process)?.listen;
        let address: SocketAddr = listen
            .parse()
            .map_err(|_| process.broken(format!("it reports an invalid address '{listen}'")))?;
        Ok(SealedGateway {
            process,
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, address.port())),
            client,
        })
    }

    /// Its counters.
    pub fn status(&mut self) -> Result<Status> {
        status(&mut self.client, &self.process)
    }

    /// Waits until it has processed everything that was sent, and delivered what it accepted.
    pub fn settle(&mut self) -> Result<Status> {
        let start = Instant::now();
        let mut before = self.status()?;
        loop {
            std::thread::sleep(Duration::from_millis(50));
            let now = self.status()?;
            let quiet = now.readings == before.readings && now.dropped == before.dropped;
            if quiet && now.delivered >= now.readings {
                return Ok(now);
            }
            if start.elapsed() > PATIENCE {
                return Err(self.process.broken("it did not become idle"));
            }
            before = now;
        }
    }
}

fn status(client: &mut Client, process: &Process) -> Result<Status> {
    match client.ask(&Request::Status)? {
        Reply::Status(status) => Ok(*status),
        _ => Err(process.broken("it did not report its status")),
    }
}

/// The state directory of a gateway that knows devices.
#[derive(Debug)]
pub struct State {
    path: PathBuf,
    _directory: tempfile::TempDir,
}

impl State {
    /// Creates the state on the disk that holds `parent`, or in the system's temporary directory.
    pub fn new(parent: Option<&Path>, devices: &Devices) -> Result<State> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("selo-bench-");
        let directory = match parent {
            Some(parent) => builder.tempdir_in(parent),
            None => builder.tempdir(),
        }
        .map_err(|source| Error::Write {
            path: parent.map_or_else(std::env::temp_dir, PathBuf::from),
            source,
        })?;
        let state = StateDir::open(&directory.path().join("state"))?;
        let mut registry = Registry::open(&state.registry())?;
        let rows: Vec<usize> = (0..devices.len()).collect();
        for part in rows.chunks(ROWS) {
            let records: Vec<Record> = part
                .iter()
                .map(|row| Record::new(device_id(*row), devices.suite, devices.keys[*row].clone()))
                .collect();
            registry.add_all(&records, Existing::Refuse)?;
        }
        Ok(State {
            path: state.path().to_owned(),
            _directory: directory,
        })
    }

    /// The state directory.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Devices with keys, and their sessions.
#[derive(Debug)]
pub struct Devices {
    suite: Suite,
    keys: Vec<DeviceKey>,
    sessions: Vec<Session>,
    secret: EphemeralSecret,
    joins: u32,
    next: Vec<usize>,
}

fn device_id(row: usize) -> DeviceId {
    DeviceId(0x5e10_0000_u32.wrapping_add(row as u32))
}

impl Devices {
    /// Creates `count` devices with their own keys. All their joins use one ephemeral key,
    /// because the devices' work is not measured; with different device keys the gateway's work
    /// is the same.
    pub fn new(suite: Suite, count: usize) -> Result<Devices> {
        let key = |_| Ok(DeviceKey::new(random_bytes()?));
        Ok(Devices {
            suite,
            keys: (0..count).map(key).collect::<Result<_>>()?,
            sessions: Vec::new(),
            secret: EphemeralSecret::random()?,
            joins: 0,
            next: Vec::new(),
        })
    }

    /// Number of devices.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Joins every device, and sends a first reading, which makes its session live.
    pub fn join(
        &mut self,
        gateway: &SealedGateway,
        addresses: &Addresses,
        mut progress: impl FnMut(usize),
    ) -> Result<()> {
        self.sessions.clear();
        self.joins += 1;
        let all: Vec<usize> = (0..self.len()).collect();
        for wave in all.chunks(WAVE.min(addresses.len())) {
            let mut attempts = Vec::with_capacity(wave.len());
            for device in wave {
                let (attempt, request) = JoinAttempt::start(
                    self.suite,
                    device_id(*device),
                    &self.keys[*device],
                    self.joins,
                    false,
                    &self.secret,
                );
                let socket = addresses.of(*device);
                socket.send(&request).map_err(network)?;
                attempts.push((*device, attempt, request));
            }
            for (device, mut attempt, request) in attempts {
                let socket = addresses.of(device);
                let keys = answer(gateway, socket, &mut attempt, &request)?;
                let mut session = keys.node_session();
                let mut frame = [0; FRAME_MAX];
                let sealed = session.seal(&[0; READING_BYTES], SealOptions::default(), &mut frame);
                let sealed = sealed.map_err(|error| gateway.process.broken(error.to_string()))?;
                socket.send(sealed.frame).map_err(network)?;
                self.sessions.push(session);
            }
            progress(self.sessions.len());
        }
        self.next = (0..addresses.len()).collect();
        Ok(())
    }

    /// Seals `count` readings for [`crate::load::send`]. A batch holds one reading of each of
    /// [`BATCH`] devices of its address, or more of each if there are fewer.
    pub fn seal(&mut self, count: usize) -> Frames {
        let addresses = self.next.len();
        let mut frames = Frames::with_capacity(count);
        let mut buffer = [0; FRAME_MAX];
        for index in 0..count {
            let address = index / BATCH % addresses;
            let device = self.next[address];
            self.next[address] = match device + addresses {
                next if next < self.sessions.len() => next,
                _ => address,
            };
            let mut reading = [0; READING_BYTES];
            reading[..8].copy_from_slice(&(index as u64).to_le_bytes());
            let session = &mut self.sessions[device];
            if let Ok(sealed) = session.seal(&reading, SealOptions::default(), &mut buffer) {
                frames.push(sealed.frame);
            }
        }
        frames
    }
}

/// Joins in one list of a stranger, which is sent repeatedly.
const STRANGERS: usize = 100_000;

impl Devices {
    /// Joins of devices that the gateway does not know.
    pub fn joins_of_unknown(&self) -> Frames {
        self.joins_by_strangers(|index| device_id(self.len() + index))
    }

    /// Joins in the names of these devices, which have a wrong tag.
    pub fn forged_joins(&self) -> Frames {
        self.joins_by_strangers(|index| device_id(index % self.len().max(1)))
    }

    fn joins_by_strangers(&self, name: impl Fn(usize) -> DeviceId) -> Frames {
        let mut frames = Frames::with_capacity(STRANGERS);
        let public = self.secret.public_key();
        for index in 0..STRANGERS {
            let mut sealed = [0; 21];
            sealed[..8].copy_from_slice(&(index as u64).to_le_bytes());
            frames.push(&JoinRequest::encode(name(index), &public, &sealed));
        }
        frames
    }
}

fn network(source: std::io::Error) -> Error {
    Error::Network { source }
}

/// The answer to a join. Asks once more if it does not arrive.
fn answer(
    gateway: &SealedGateway,
    socket: &UdpSocket,
    attempt: &mut JoinAttempt,
    request: &[u8],
) -> Result<SessionKeys> {
    let mut frame = [0; 64];
    for _ in 0..3 {
        while let Ok(size) = socket.recv(&mut frame) {
            if let Ok(Frame::JoinAccept(accept)) = Frame::parse(&frame[..size])
                && let Ok(keys) = attempt.finish(&accept)
            {
                return Ok(keys);
            }
        }
        socket.send(request).map_err(network)?;
    }
    Err(gateway.process.broken("it did not answer a join"))
}
