//! The baseline: the Python gateway of `bench/baseline-gateway/` and its devices, which use
//! Algorithm 2 of [albarello2020] (docs/protocol.md, "Classic").

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use selo_classic::{ClassicKey, Frame};
use selo_link::EphemeralSecret;
use selo_link::FRAME_MAX;
use serde::Deserialize;

use crate::error::{Error, Result};
use crate::load::{Addresses, BATCH, Frames, READING_BYTES};
use crate::process::Process;

/// Debian's Python, whose cryptography package the baseline was written for.
const DEBIAN_PYTHON: &str = "/usr/bin/python3";

const NAME: &str = "the baseline gateway";
/// Simultaneous joins.
const WAVE: usize = 64;
/// Waits for an answer, each as long as a socket's read timeout.
const WAITS: usize = 5;

/// The interpreter and script of the baseline.
#[derive(Debug, Clone)]
pub struct Baseline {
    python: PathBuf,
    program: PathBuf,
}

/// Counters of the baseline since its start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub struct Counters {
    pub joins: u64,
    pub readings: u64,
    pub dropped: u64,
}

/// A running baseline gateway.
#[derive(Debug)]
pub struct BaselineGateway {
    pub process: Process,
    pub address: SocketAddr,
    /// Its versions of Python and of cryptography.
    pub versions: String,
}

impl Baseline {
    /// Finds a Python with the module `cryptography`: `python` if given, else Debian's, else the
    /// first on the path.
    pub fn find(project: &Path, python: Option<&Path>) -> Result<Baseline> {
        let program = project.join("bench/baseline-gateway/gateway.py");
        if !program.is_file() {
            return Err(Error::NoBaseline { path: program });
        }
        let candidates = match python {
            Some(python) => vec![python.to_owned()],
            None => vec![DEBIAN_PYTHON.into(), "python3".into()],
        };
        let suits = |python: &PathBuf| {
            Command::new(python)
                .args(["-c", "import cryptography.hazmat.primitives.ciphers"])
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success())
        };
        let tried = || {
            let names: Vec<_> = candidates.iter().map(|p| p.to_string_lossy()).collect();
            names.join(", ")
        };
        match candidates.iter().find(|python| suits(python)) {
            Some(python) => Ok(Baseline {
                python: python.clone(),
                program,
            }),
            None => Err(Error::NoPython { tried: tried() }),
        }
    }

    /// Starts the gateway. With `keep_decryptor` it creates one decryption context per session
    /// instead of one per message.
    pub fn start(&self, keep_decryptor: bool) -> Result<BaselineGateway> {
        let mut command = Command::new(&self.python);
        command.arg(&self.program);
        if keep_decryptor {
            command.arg("--keep-decryptor");
        }
        let mut process = Process::start(NAME, &mut command)?;
        let line = process.line()?;
        let (port, versions) = line
            .strip_prefix("ready ")
            .and_then(|rest| rest.split_once(' '))
            .and_then(|(port, versions)| Some((port.parse().ok()?, versions)))
            .ok_or_else(|| {
                process.broken(format!("it printed '{line}' instead of 'ready PORT'"))
            })?;
        Ok(BaselineGateway {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
            versions: versions.to_owned(),
            process,
        })
    }
}

impl BaselineGateway {
    /// Waits until it has processed everything that was sent.
    pub fn settle(&mut self) -> Result<Counters> {
        let mut before = self.counters()?;
        loop {
            std::thread::sleep(Duration::from_millis(100));
            let now = self.counters()?;
            if now == before {
                return Ok(now);
            }
            before = now;
        }
    }

    /// Asks the gateway for its counters.
    pub fn counters(&mut self) -> Result<Counters> {
        self.process.signal(rustix::process::Signal::USR1)?;
        let line = self.process.line()?;
        serde_json::from_str(&line).map_err(|error| {
            self.process
                .broken(format!("cannot parse its counters '{line}': {error}"))
        })
    }
}

/// The next frame. On a busy machine the gateway may take longer than a socket waits.
fn receive(socket: &UdpSocket, frame: &mut [u8]) -> std::io::Result<usize> {
    for _ in 1..WAITS {
        match socket.recv(frame) {
            Err(error) if is_of_wait(&error) => {}
            received => return received,
        }
    }
    socket.recv(frame)
}

/// True if nothing came within a socket's read timeout.
fn is_of_wait(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut)
}

/// Devices of the baseline, one per address.
#[derive(Debug)]
pub struct Devices {
    secret: EphemeralSecret,
    keys: Vec<ClassicKey>,
}

impl Devices {
    /// The devices share one key pair, because their own work is not measured.
    pub fn new() -> Result<Devices> {
        Ok(Devices {
            secret: EphemeralSecret::random()?,
            keys: Vec::new(),
        })
    }

    /// Joins from every address. Returns when all have sent their keys.
    pub fn join(&mut self, gateway: &BaselineGateway, addresses: &Addresses) -> Result<()> {
        self.keys.clear();
        let network = |source| Error::Network { source };
        let answer = Frame::encode_node_key(&self.secret.public_key());
        let all: Vec<usize> = (0..addresses.len()).collect();
        for wave in all.chunks(WAVE) {
            for index in wave {
                let socket = addresses.of(*index);
                socket.send(&Frame::REQUEST).map_err(network)?;
            }
            for index in wave {
                let socket = addresses.of(*index);
                let mut frame = [0; 64];
                let size = match receive(socket, &mut frame) {
                    Ok(size) => size,
                    Err(error) if is_of_wait(&error) => {
                        return Err(gateway.process.broken("it did not answer a join"));
                    }
                    Err(error) => return Err(network(error)),
                };
                let Some(Frame::GatewayKey(peer)) = Frame::parse(&frame[..size]) else {
                    return Err(gateway
                        .process
                        .broken("it sent an unexpected answer to a join"));
                };
                let key = ClassicKey::agree(&self.secret, peer)
                    .map_err(|refusal| gateway.process.broken(refusal.to_string()))?;
                self.keys.push(key);
                socket.send(&answer).map_err(network)?;
            }
        }
        Ok(())
    }

    /// Seals `count` readings for [`crate::load::send`].
    pub fn seal(&self, count: usize) -> Frames {
        let mut frames = Frames::with_capacity(count);
        let mut buffer = [0; FRAME_MAX];
        for index in 0..count {
            let key = &self.keys[index / BATCH % self.keys.len()];
            let mut reading = [0; READING_BYTES];
            reading[..8].copy_from_slice(&(index as u64).to_le_bytes());
            if let Ok(frame) = key.seal(&reading, &mut buffer) {
                frames.push(frame);
            }
        }
        frames
    }
}
