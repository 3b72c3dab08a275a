//! A board behind a pseudo-terminal: a simulated Uno that a command flashes, that loses bytes and
//! prints text at boot, and whose cable can be pulled. To the lab, it differs from a real board
//! only in the path of its port.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use selo_engine::board::{Board, Serial};
use selo_engine::runner::{Paced, Surroundings};

/// Cycles between two polls of the line: a millisecond, and up to 40 ms while the chip computes.
const STEP: u64 = 16_000;
const LONGEST_STEP: u64 = 40 * STEP;

/// The faults to inject. Each lost byte and each pull happens once and is then removed from here.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// Bytes that the boot loader prints at each start.
    pub chatter: Vec<u8>,
    /// Numbers of lost bytes from the host, counted from the end of a flash.
    pub lost_requests: Vec<usize>,
    /// Numbers of lost bytes from the chip, counted from the end of a flash.
    pub lost_answers: Vec<usize>,
    /// The cable is pulled at the request with this number since the flash, and this many cycles
    /// later.
    pub pulled: Option<(usize, u64)>,
    /// The cable is out until this is false.
    pub out: bool,
    /// Another board, with an empty flash, is plugged in instead.
    pub exchanged: bool,
    /// The board keeps this image, whatever is flashed.
    pub stuck_with: Option<PathBuf>,
    /// The chip does not run.
    pub dead: bool,
}

/// Recorded events, for the tests.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub flashed: usize,
    pub resets: usize,
    pub pulled: usize,
    /// Cycles of each period in which pin 8 was high.
    pub high: Vec<u64>,
}

#[derive(Default)]
struct Shared {
    stop: AtomicBool,
    faults: Mutex<Faults>,
    seen: Mutex<Seen>,
}

pub struct PtyBoard {
    folder: tempfile::TempDir,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl PtyBoard {
    pub fn new(root: &Path, board: &Board, faults: Faults) -> PtyBoard {
        let folder = tempfile::tempdir().expect("a folder");
        let shared = Arc::new(Shared::default());
        *shared.faults.lock().expect("not poisoned") = faults;
        let script = folder.path().join("flash.sh");
        let text = "cd \"$(dirname \"$0\")\" && printf %s \"$1\" >asked.new && mv asked.new asked\n\
                    while [ -e asked ]; do sleep 0.01; done\n";
        std::fs::write(&script, text).expect("written");
        let mut bridge = Bridge {
            folder: folder.path().to_owned(),
            root: root.to_owned(),
            board: board.clone(),
            shared: Arc::clone(&shared),
            line: None,
            image: None,
            chip: None,
            idle: true,
            in_reset: false,
            requests: 0,
            in_request: false,
            from_host: 0,
            to_host: 0,
            pull_at: None,
            cycle: 0,
            high_since: 0,
            pace: STEP,
        };
        bridge.plug();
        let thread = std::thread::spawn(move || bridge.run());
        PtyBoard {
            folder,
            shared,
            thread: Some(thread),
        }
    }

    pub fn port(&self) -> PathBuf {
        self.folder.path().join("port")
    }

    /// The command that flashes this board, for a board's file.
    pub fn flash(&self) -> [String; 3] {
        let script = self.folder.path().join("flash.sh").display().to_string();
        ["sh".into(), script, "{image}".into()]
    }

    /// `board` with the port and flash command of this one.
    pub fn described(&self, board: &Board) -> Board {
        let mut board = board.on("serial").into_owned();
        let serial: &mut Serial = board.serial.as_mut().expect("a [serial] table");
        serial.port = self.port();
        serial.flash = self.flash().into();
        serial.boot_seconds = 0.1;
        serial.answer_seconds = 30;
        board
    }

    pub fn faults(&self, change: impl FnOnce(&mut Faults)) {
        change(&mut self.shared.faults.lock().expect("not poisoned"));
    }

    pub fn seen(&self) -> Seen {
        self.shared.seen.lock().expect("not poisoned").clone()
    }
}

impl Drop for PtyBoard {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let done = thread.join();
            assert!(done.is_ok() || std::thread::panicking(), "the bridge broke");
        }
    }
}

struct Bridge {
    folder: PathBuf,
    root: PathBuf,
    board: Board,
    shared: Arc<Shared>,
    /// Both ends. The second stays open, so that the terminal survives when a program closes it.
    line: Option<(File, OwnedFd)>,
    image: Option<PathBuf>,
    chip: Option<Paced>,
    idle: bool,
    in_reset: bool,
    requests: usize,
    in_request: bool,
    from_host: usize,
    to_host: usize,
    pull_at: Option<u64>,
    cycle: u64,
    high_since: u64,
    pace: u64,
}

impl Bridge {
    fn run(&mut self) {
        while !self.shared.stop.load(Ordering::Relaxed) {
            self.take_image();
            if self.line.is_none() && !self.faults(|faults| faults.out) {
                self.plug();
                self.start_chip();
            }
            self.take_reset();
            self.take_bytes();
            self.step();
            if self.pull_at.is_some_and(|at| self.cycle >= at) {
                self.pull();
            }
        }
    }

    fn faults<T>(&self, of: impl FnOnce(&mut Faults) -> T) -> T {
        of(&mut self.shared.faults.lock().expect("not poisoned"))
    }

    fn seen(&self, change: impl FnOnce(&mut Seen)) {
        change(&mut self.shared.seen.lock().expect("not poisoned"));
    }

    fn plug(&mut self) {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags).expect("a terminal");
        grantpt(&master)
            .and_then(|()| unlockpt(&master))
            .expect("granted");
        let name = ptsname(&master, Vec::new()).expect("a name");
        let name = PathBuf::from(name.into_string().expect("text"));
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let slave = rustix::fs::open(&name, flags, Mode::empty()).expect("opened");
        let mut settings = tcgetattr(&slave).expect("settings");
        settings.make_raw();
        tcsetattr(&slave, OptionalActions::Now, &settings).expect("set");
        rustix::io::ioctl_fionbio(&master, true).expect("set");
        let link = self.folder.join("port");
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(&name, &link).expect("linked");
        self.line = Some((File::from(master), slave));
    }

    /// Pulls the cable, which also cuts the chip's power.
    fn pull(&mut self) {
        self.pull_at = None;
        self.faults(|faults| faults.out = true);
        let _ = std::fs::remove_file(self.folder.join("port"));
        self.line = None;
        self.chip = None;
        if self.faults(|faults| faults.exchanged) {
            self.image = None;
        }
        self.seen(|seen| seen.pulled += 1);
    }

    /// Handles a request of the flash command.
    fn take_image(&mut self) {
        let asked = self.folder.join("asked");
        let Ok(image) = std::fs::read_to_string(&asked) else {
            return;
        };
        let stuck = self.faults(|faults| faults.stuck_with.clone());
        self.image = Some(stuck.unwrap_or_else(|| image.into()));
        self.start_chip();
        self.seen(|seen| seen.flashed += 1);
        (self.requests, self.from_host, self.to_host) = (0, 0, 0);
        std::fs::remove_file(asked).expect("removed");
    }

    fn start_chip(&mut self) {
        let (Some(image), false) = (&self.image, self.faults(|faults| faults.dead)) else {
            self.chip = None;
            return;
        };
        let weight = selo_engine::elf::weigh(image).expect("an image");
        let eeprom = self.folder.join("eeprom");
        let around = Surroundings {
            watch: vec!["B0".into()],
            ..Surroundings::default()
        };
        let chip = Paced::start(&self.root, &self.board, image, &weight, &eeprom, &around);
        self.chip = Some(chip.expect("simavr"));
        (self.idle, self.cycle) = (false, 0);
        self.chatter();
    }

    fn chatter(&mut self) {
        let chatter = self.faults(|faults| faults.chatter.clone());
        self.say(&chatter);
    }

    fn say(&mut self, bytes: &[u8]) {
        if let Some((master, _)) = &mut self.line {
            let _ = master.write_all(bytes);
        }
    }

    /// Resets the chip when the line is at 0 baud, because DTR is then low.
    fn take_reset(&mut self) {
        let Some((master, _)) = &self.line else {
            return;
        };
        let hung_up = tcgetattr(master).is_ok_and(|settings| settings.output_speed() == 0);
        if hung_up && !self.in_reset {
            if let Some(chip) = &mut self.chip {
                chip.reset().expect("simavr");
                self.idle = false;
            }
            self.seen(|seen| seen.resets += 1);
            self.chatter();
        }
        self.in_reset = hung_up;
    }

    fn take_bytes(&mut self) {
        let Some((master, _)) = &mut self.line else {
            std::thread::sleep(Duration::from_millis(5));
            return;
        };
        if self.idle || self.chip.is_none() {
            let timeout = Timespec::try_from(Duration::from_millis(5)).expect("short");
            let _ = poll(&mut [PollFd::new(master, PollFlags::IN)], Some(&timeout));
        }
        let mut buffer = [0; 4096];
        let count = master.read(&mut buffer).unwrap_or(0);
        let mut passed = Vec::new();
        for &byte in &buffer[..count] {
            let number = self.from_host;
            self.from_host += 1;
            if byte == 0 && self.in_request {
                self.requests += 1;
                let pulled = self.faults(|faults| {
                    let now = faults
                        .pulled
                        .is_some_and(|(request, _)| request <= self.requests);
                    if now { faults.pulled.take() } else { None }
                });
                if let Some((_, cycles)) = pulled {
                    self.pull_at = Some(self.cycle + cycles);
                }
            }
            self.in_request = byte != 0;
            if !self.faults(|faults| take(&mut faults.lost_requests, number)) {
                passed.push(byte);
            }
        }
        if let Some(chip) = &mut self.chip {
            chip.send(&passed).expect("simavr");
            if !passed.is_empty() {
                (self.idle, self.pace) = (false, STEP);
            }
        }
    }

    fn step(&mut self) {
        let Some(chip) = self.chip.as_mut().filter(|_| !self.idle) else {
            return;
        };
        // A program that strays stops its chip. The line is then silent.
        let most = self
            .pull_at
            .map_or(LONGEST_STEP, |at| at.saturating_sub(self.cycle).max(1));
        let Ok(done) = chip.advance(self.pace.min(most)) else {
            self.chip = None;
            return;
        };
        (self.idle, self.cycle) = (done.idle, done.cycle);
        for pin in done.pins {
            match pin.level {
                true => self.high_since = pin.cycle,
                false => {
                    let lasted = pin.cycle - self.high_since;
                    self.seen(|seen| seen.high.push(lasted));
                }
            }
        }
        let mut bytes = done.bytes;
        self.pace = match bytes.is_empty() {
            true => (2 * self.pace).min(LONGEST_STEP),
            false => STEP,
        };
        bytes.retain(|_| {
            let number = self.to_host;
            self.to_host += 1;
            !self.faults(|faults| take(&mut faults.lost_answers, number))
        });
        self.say(&bytes);
    }
}

fn take(numbers: &mut Vec<usize>, number: usize) -> bool {
    let before = numbers.len();
    numbers.retain(|&one| one != number);
    numbers.len() < before
}
