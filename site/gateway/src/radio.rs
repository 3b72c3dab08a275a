//! Radio modules on serial ports: extracts frames from a byte stream, and sends frames.
//!
//! An E32 module in normal mode outputs received bytes without any framing: no length, no
//! delimiter, no signal strength. A frame of the link is one radio packet, and the module
//! outputs the bytes of a packet without a pause. Silence therefore ends a frame. The serial
//! port does not carry the module's AUX pin, which signals when it is free. The busy time is
//! calculated from the air time formula instead.

mod framing;
mod port;

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use selo_e32::parameters::SILENCE_BYTES;
use tracing::{info, warn};

use crate::engine::Outgoing;
use crate::error::{Error, Result};
use crate::peer::Peer;

use framing::{Deframer, Pacer, SILENCE};

pub use port::Port;

/// Maximum queued frames per module. Further answers would arrive too late to be useful.
const QUEUE: usize = 16;
/// Delay before a lost port is opened again.
const RETRY: Duration = Duration::from_secs(1);

/// Sends frames to a module. Can be shared between threads.
#[derive(Debug, Clone)]
pub struct Sender {
    frames: SyncSender<Vec<u8>>,
    wake: Arc<UnixStream>,
}

impl Sender {
    /// Queues a packet; see [`Sender::frame`].
    pub fn send(&self, packet: &Outgoing) -> io::Result<()> {
        self.frame(packet.frame())
    }

    /// Queues a frame.
    ///
    /// # Errors
    /// `WouldBlock` if the queue is full, `BrokenPipe` if the module's thread has ended.
    pub fn frame(&self, frame: &[u8]) -> io::Result<()> {
        let sent = self.frames.try_send(frame.to_vec());
        let _ = (&*self.wake).write(&[0]);
        sent.map_err(|error| match error {
            TrySendError::Full(_) => ErrorKind::WouldBlock.into(),
            TrySendError::Disconnected(_) => ErrorKind::BrokenPipe.into(),
        })
    }
}

/// An opened module whose thread has not been started yet.
#[derive(Debug)]
pub struct Radio {
    number: u8,
    port: Port,
    /// `None` while the port is lost. Holding it open would keep its device name in use.
    file: Option<File>,
    frames: Receiver<Vec<u8>>,
    awake: UnixStream,
    stop: Arc<AtomicBool>,
}

/// A running module. Dropping it stops its thread.
#[derive(Debug)]
pub struct Running {
    stop: Arc<AtomicBool>,
    wake: Arc<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        let _ = (&*self.wake).write(&[0]);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Opens the port of a module. `number` identifies it in [`Peer::Radio`].
pub fn open(number: u8, port: &Port) -> Result<(Sender, Radio)> {
    let failed = |source: io::Error| Error::Radio {
        path: port.path.clone(),
        source,
    };
    let file = port.open().map_err(failed)?;
    let (wake, awake) = UnixStream::pair().map_err(failed)?;
    for end in [&wake, &awake] {
        end.set_nonblocking(true).map_err(failed)?;
    }
    let (frames, taken) = sync_channel(QUEUE);
    let sender = Sender {
        frames,
        wake: Arc::new(wake),
    };
    let radio = Radio {
        number,
        port: port.clone(),
        file: Some(file),
        frames: taken,
        awake,
        stop: Arc::default(),
    };
    Ok((sender, radio))
}

impl Radio {
    /// Path of the serial port.
    pub fn path(&self) -> &Path {
        &self.port.path
    }

    /// Starts the module's thread. It passes each received frame to `deliver`.
    pub fn start(
        self,
        sender: &Sender,
        deliver: impl FnMut(Peer, Vec<u8>) + Send + 'static,
    ) -> io::Result<Running> {
        let stop = self.stop.clone();
        let silence = SILENCE.max(self.port.byte() * SILENCE_BYTES);
        let thread = Thread {
            silence,
            deframer: Deframer::new(silence),
            pacer: Pacer::default(),
            radio: self,
            deliver,
        };
        let thread = std::thread::Builder::new()
            .name("radio".into())
            .spawn(move || thread.run())?;
        Ok(Running {
            stop,
            wake: sender.wake.clone(),
            thread: Some(thread),
        })
    }
}

struct Thread<D> {
    silence: Duration,
    deframer: Deframer,
    pacer: Pacer,
    radio: Radio,
    deliver: D,
}

impl<D: FnMut(Peer, Vec<u8>)> Thread<D> {
    fn run(mut self) {
        while !self.radio.stop.load(Ordering::Acquire) {
            let Some(file) = self.radio.file.take() else {
                self.reopen();
                continue;
            };
            match self.turn(&file) {
                Ok(()) => self.radio.file = Some(file),
                Err(problem) => {
                    let path = self.radio.port.path.display();
                    warn!(port = %path, %problem, "lost a radio module; will retry its port");
                }
            }
        }
    }

    /// Waits for an event and handles it.
    fn turn(&mut self, mut file: &File) -> io::Result<()> {
        self.wait(file)?;
        let mut buffer = [0; 256];
        let size = match file.read(&mut buffer) {
            // The terminal's other end has closed.
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(size) => size,
            Err(error)
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) =>
            {
                0
            }
            Err(error) => return Err(error),
        };
        let now = Instant::now();
        if let Some(frame) = self.deframer.push(now, &buffer[..size]) {
            (self.deliver)(Peer::Radio(self.radio.number), frame);
        }
        while self.pacer.waiting.len() < QUEUE {
            match self.radio.frames.try_recv() {
                Ok(frame) => self.pacer.waiting.push_back(frame),
                Err(_) => break,
            }
        }
        let port = &self.radio.port;
        if let Some(frame) = self.pacer.next(now, |bytes| port.busy(bytes)) {
            // The driver's buffer is much larger than a frame. Bytes that it refuses are lost,
            // as they could be on the air.
            match file.write(&frame) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn wait(&self, file: &File) -> io::Result<()> {
        let deadlines = [self.deframer.deadline(), self.pacer.deadline()];
        let timeout = deadlines.into_iter().flatten().min().map(|at| {
            // Rounded up, so that the deadline has passed when poll returns.
            let wait = at.saturating_duration_since(Instant::now()) + Duration::from_micros(100);
            Timespec {
                tv_sec: wait.as_secs() as i64,
                tv_nsec: i64::from(wait.subsec_nanos()),
            }
        });
        let mut fds = [
            PollFd::new(file, PollFlags::IN),
            PollFd::new(&self.radio.awake, PollFlags::IN),
        ];
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        let mut bytes = [0; 64];
        while (&self.radio.awake)
            .read(&mut bytes)
            .is_ok_and(|read| read > 0)
        {}
        Ok(())
    }

    /// Waits, then tries to reopen the port. Drops partial frames and queued answers, which are
    /// now too late.
    fn reopen(&mut self) {
        std::thread::sleep(RETRY);
        let Ok(file) = self.radio.port.open() else {
            return;
        };
        info!(port = %self.radio.port.path.display(), "the radio module is back");
        self.radio.file = Some(file);
        self.deframer = Deframer::new(self.silence);
        self.pacer = Pacer::default();
        while self.radio.frames.try_recv().is_ok() {}
    }
}

#[cfg(test)]
mod tests;
