//! Radio modules on serial ports: extracts frames from a byte stream, and sends frames.
//!
//! An E32 module in normal mode outputs received bytes without any framing: no length, no
//! delimiter, no signal strength. A frame of the link is one radio packet, and the module
//! outputs the bytes of a packet without a pause. Silence therefore ends a frame. The serial
//! port does not carry the module's AUX pin, which signals when it is free. The busy time is
//! calculated from the air time formula instead.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FlockOperation, OFlags};
use rustix::termios::{ControlModes, OptionalActions, QueueSelector};
use selo_e32::airtime::AirRate;
use selo_e32::parameters::{Parity, SILENCE_BYTES, Uart};
use selo_link::frame::FRAME_MAX;
use tracing::{info, warn};

use crate::engine::Outgoing;
use crate::error::{Error, Result};
use crate::peer::Peer;

/// Minimum silence that ends a frame. USB adapters buffer bytes for up to 16 ms, so a shorter
/// silence would split frames.
const SILENCE: Duration = Duration::from_millis(20);
/// Maximum queued frames per module. Further answers would arrive too late to be useful.
const QUEUE: usize = 16;
/// Delay before a lost port is opened again.
const RETRY: Duration = Duration::from_secs(1);

/// A serial port with a radio module, in command-line syntax: `PATH[,BAUD[,AIR RATE]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    pub path: PathBuf,
    pub baud: u32,
    pub air_rate: AirRate,
}

impl FromStr for Port {
    type Err = String;

    fn from_str(text: &str) -> Result<Port, String> {
        let mut parts = text.split(',');
        let path = parts.next().filter(|path| !path.is_empty());
        let path = path.ok_or("the path of the serial port is missing")?;
        let baud = parts.next().unwrap_or("9600");
        let known = selo_e32::parameters::Parameters::bauds();
        let baud = baud.parse().ok().filter(|baud| known.contains(baud));
        let baud = baud.ok_or_else(|| format!("the baud rate must be one of {known:?}"))?;
        let air_rate = match parts.next() {
            Some(rate) => rate
                .parse()
                .map_err(|rates| format!("the air data rate must be {rates}"))?,
            None => AirRate::R2400,
        };
        if parts.next().is_some() {
            return Err("expected no more than PATH,BAUD,AIR RATE".into());
        }
        Ok(Port {
            path: path.into(),
            baud,
            air_rate,
        })
    }
}

impl Port {
    /// Duration of one byte on the serial line.
    fn byte(&self) -> Duration {
        let uart = Uart {
            baud: self.baud,
            parity: Parity::None,
        };
        uart.byte()
    }

    /// Time for which the module is busy with a frame of `bytes` bytes: serial transfer, final
    /// silence, and air time. Assumes forward error correction, which takes longer.
    fn busy(&self, bytes: usize) -> Duration {
        let line = self.byte() * (bytes as u32 + SILENCE_BYTES);
        line + self.air_rate.airtime(bytes, true)
    }

    /// Opens the port: raw, 8N1, locked and flushed. The flock ends with the process. The
    /// terminal's exclusive mode would outlive the process on a pty that is held open.
    fn open(&self) -> io::Result<File> {
        let file = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags((OFlags::NOCTTY | OFlags::NONBLOCK).bits() as i32)
            .open(&self.path)?;
        // Lock first, so that another program's settings stay unchanged.
        rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        let mut settings = rustix::termios::tcgetattr(&file)?;
        settings.make_raw();
        settings.control_modes |= ControlModes::CLOCAL | ControlModes::CREAD;
        settings.control_modes -= ControlModes::CSTOPB | ControlModes::CRTSCTS;
        settings.set_speed(self.baud)?;
        rustix::termios::tcsetattr(&file, OptionalActions::Now, &settings)?;
        rustix::termios::tcflush(&file, QueueSelector::IOFlush)?;
        Ok(file)
    }
}

/// Extracts frames from a byte stream. Silence ends a frame. A run of more bytes than a frame
/// can have is noise or merged frames, and is dropped up to the next silence.
#[derive(Debug)]
struct Deframer {
    silence: Duration,
    bytes: Vec<u8>,
    /// Too many bytes: drop everything until the next silence.
    lost: bool,
    last: Option<Instant>,
}

impl Deframer {
    fn new(silence: Duration) -> Deframer {
        Deframer {
            silence,
            bytes: Vec::with_capacity(FRAME_MAX),
            lost: false,
            last: None,
        }
    }

    /// Time at which the current silence ends the frame.
    fn deadline(&self) -> Option<Instant> {
        self.last.map(|last| last + self.silence)
    }

    /// Adds received bytes. Returns the frame that ended before them, if any.
    fn push(&mut self, now: Instant, bytes: &[u8]) -> Option<Vec<u8>> {
        let ended = self.end(now);
        if bytes.is_empty() {
            return ended;
        }
        self.last = Some(now);
        if self.lost || self.bytes.len() + bytes.len() > FRAME_MAX {
            self.lost = true;
            self.bytes.clear();
        } else {
            self.bytes.extend_from_slice(bytes);
        }
        ended
    }

    /// The frame that has ended by `now`, if any.
    fn end(&mut self, now: Instant) -> Option<Vec<u8>> {
        self.deadline().filter(|deadline| *deadline <= now)?;
        self.last = None;
        self.lost = false;
        let frame = std::mem::take(&mut self.bytes);
        (!frame.is_empty()).then_some(frame)
    }
}

/// Holds frames back until the module has sent the previous one. Otherwise the module could
/// merge or lose frames.
#[derive(Debug, Default)]
struct Pacer {
    waiting: VecDeque<Vec<u8>>,
    free_at: Option<Instant>,
}

impl Pacer {
    fn deadline(&self) -> Option<Instant> {
        self.free_at.filter(|_| !self.waiting.is_empty())
    }

    /// The next frame, if the module is free.
    fn next(&mut self, now: Instant, busy: impl Fn(usize) -> Duration) -> Option<Vec<u8>> {
        if self.free_at.is_some_and(|at| now < at) {
            return None;
        }
        let frame = self.waiting.pop_front()?;
        self.free_at = Some(now + busy(frame.len()));
        Some(frame)
    }
}

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
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn a_port_is_a_path_and_rates() {
        let port: Port = "/dev/ttyUSB0".parse().expect("a port");
        assert_eq!((port.baud, port.air_rate), (9_600, AirRate::R2400));
        let port: Port = "radio,115200,19.2k".parse().expect("a port");
        assert_eq!(port.path, Path::new("radio"));
        assert_eq!((port.baud, port.air_rate), (115_200, AirRate::R19200));
        for (text, says) in [
            ("", "missing"),
            (",9600", "missing"),
            ("x,9601", "baud"),
            ("x,fast", "baud"),
            ("x,9600,3k", "0.3k"),
            ("x,9600,2.4k,7", "no more"),
        ] {
            let error = text.parse::<Port>().expect_err(text);
            assert!(error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn silence_ends_a_frame_and_nothing_else_does() {
        let start = Instant::now();
        let mut deframer = Deframer::new(20 * MS);
        assert_eq!(deframer.deadline(), None);
        // In pieces, with pauses too short to end the frame.
        assert_eq!(deframer.push(start, b"he"), None);
        assert_eq!(deframer.push(start + 19 * MS, b"ll"), None);
        assert_eq!(deframer.push(start + 38 * MS, b"o"), None);
        assert_eq!(deframer.deadline(), Some(start + 58 * MS));
        assert_eq!(deframer.end(start + 57 * MS), None);
        assert_eq!(deframer.end(start + 58 * MS).expect("a frame"), b"hello");
        assert_eq!(
            (deframer.end(start + 90 * MS), deframer.deadline()),
            (None, None)
        );
        // Bytes of the next frame can be the first sign that a frame has ended.
        assert_eq!(deframer.push(start + 100 * MS, b"one"), None);
        assert_eq!(
            deframer.push(start + 120 * MS, b"two").expect("a frame"),
            b"one"
        );
        assert_eq!(
            deframer.push(start + 140 * MS, b"").expect("a frame"),
            b"two"
        );
    }

    #[test]
    fn what_is_longer_than_a_frame_is_dropped_up_to_the_next_silence() {
        let start = Instant::now();
        let mut deframer = Deframer::new(20 * MS);
        let whole = [7; FRAME_MAX];
        assert_eq!(deframer.push(start, &whole), None);
        assert_eq!(deframer.push(start + 5 * MS, b"x"), None);
        // The rest of an overlong run is not taken for a frame.
        assert_eq!(deframer.push(start + 10 * MS, b"tail"), None);
        assert_eq!(deframer.end(start + 30 * MS), None);
        assert_eq!(deframer.push(start + 40 * MS, &whole), None);
        assert_eq!(deframer.end(start + 60 * MS).expect("in step again"), whole);
    }

    #[test]
    fn frames_wait_until_the_module_has_sent_the_one_before() {
        let start = Instant::now();
        let mut pacer = Pacer::default();
        let busy = |bytes: usize| MS * bytes as u32;
        assert_eq!(pacer.next(start, busy), None);
        pacer.waiting.extend([vec![1; 30], vec![2; 10], vec![3; 1]]);
        assert_eq!(pacer.next(start, busy).expect("free"), [1; 30]);
        assert_eq!(pacer.next(start + 29 * MS, busy), None);
        assert_eq!(pacer.deadline(), Some(start + 30 * MS));
        assert_eq!(pacer.next(start + 30 * MS, busy).expect("free"), [2; 10]);
        assert_eq!(pacer.next(start + 30 * MS, busy), None);
        assert_eq!(pacer.next(start + 50 * MS, busy).expect("free"), [3; 1]);
        assert_eq!(pacer.deadline(), None, "nothing waits");
    }

    #[test]
    fn a_frames_time_is_the_lines_and_the_airs() {
        let port: Port = "x".parse().expect("a port");
        // 32 byte times of 1.042 ms, plus 349.2 ms air time [docs/researcher/radio-capacity.md].
        let busy = port.busy(29).as_micros();
        assert!((382_500..382_600).contains(&busy), "{busy}");
    }
}
