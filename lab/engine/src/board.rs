//! A board: a device kind, described by one file in `lab/boards/`.

use std::borrow::Cow;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::Deserialize;

use crate::row::Fidelity;

/// The runner of real boards.
pub const SERIAL: &str = "serial";

/// Where udev keeps names of ports that stay the same.
pub const BY_ID: &str = "/dev/serial/by-id";

/// The name of the board that is this machine.
pub const NATIVE: &str = "native";

/// `lab/boards/<name>.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// The name on the command line and in rows; equals the file's name.
    pub name: String,
    /// The name that people read.
    pub title: String,
    pub mcu: String,
    /// Clock of the core in hertz; absent where it varies.
    #[serde(default)]
    pub clock_hz: Option<u64>,
    /// Folder in `lab/firmware/ports/` with the start-up, UART and marks of this core.
    pub port: String,
    /// What executes images for this board unless the command line says otherwise.
    pub runner: String,
    pub fidelity: Fidelity,
    /// Absent where memory is not a constraint (a PC).
    #[serde(default)]
    pub memory: Option<Memory>,
    pub toolchain: Toolchain,
    pub agent: AgentSettings,
    /// How to start the emulator, on boards whose runner is `qemu`.
    #[serde(default)]
    pub qemu: Option<Qemu>,
    /// The model in `lab/boards/models/` that makes cycles of counted instructions.
    #[serde(default)]
    pub cycle_model: Option<String>,
    /// Power figures, the default one first.
    #[serde(default)]
    pub power: Vec<crate::energy::PowerProfile>,
    /// How a real one is flashed and spoken to by cable.
    #[serde(default)]
    pub serial: Option<Serial>,
}

/// What an image and its data must fit into, in bytes.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    pub flash: u64,
    pub ram: u64,
}

/// How to make an image.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Toolchain {
    /// The compiler driver, found on PATH.
    pub cc: String,
    /// The C++ compiler driver; without one, the C driver's name with `gcc` or `cc` at its
    /// end replaced ([`Toolchain::cxx`]).
    #[serde(default)]
    pub cxx: Option<String>,
    /// Flags of every compilation.
    #[serde(default)]
    pub flags: Vec<String>,
    /// Flags of the link.
    #[serde(default)]
    pub link_flags: Vec<String>,
    /// Debian packages that bring the compiler and what it needs.
    #[serde(default)]
    pub debian: Vec<String>,
    /// How libraries in Rust are built; without it for this machine.
    #[serde(default)]
    pub rust: Option<Rust>,
    /// An Arduino core's own tools make the images, of a sketch; `link_flags` are not used then,
    /// nor the dialect and the definitions among `flags`, which stand in its files.
    #[serde(default)]
    pub sketch: Option<Sketch>,
}

/// The tools of an Arduino core. In `compile` `{sketch}` stands for the sketch's folder, `{build}`
/// for an empty one for what is made of it, and `{flags}` for the compiler's flags, which are as
/// many arguments where it stands alone.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sketch {
    pub compile: Vec<String>,
    /// The ELF file, below `{build}`.
    pub image: String,
    /// Says which core there is; all that it says counts. Without it `cc` is asked.
    #[serde(default)]
    pub version: Vec<String>,
    /// How to get them, if Debian's packages do not bring them.
    #[serde(default)]
    pub install: String,
}

/// What the Rust compiler is told.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rust {
    /// Its name of the target.
    #[serde(default)]
    pub target: Option<String>,
    #[serde(default)]
    pub flags: Vec<String>,
    /// Another line than rustup's that brings the target's core library.
    #[serde(default)]
    pub install: Option<String>,
}

impl Toolchain {
    /// Whether the compiler finds the headers of its C library.
    pub fn has_headers(&self) -> bool {
        let probe = Command::new(&self.cc)
            .args(&self.flags)
            .args(["-E", "-x", "c", "-include", "string.h", "/dev/null"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        probe.is_ok_and(|status| status.success())
    }
}

/// Limits of the agent firmware on this board.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentSettings {
    /// Largest input and largest output of one operation, in bytes.
    pub io_bytes: u32,
}

/// A real board on a serial port. In the commands `{image}` stands for the ELF file,
/// `{folder}` for the one that it lies in, `{hex}` and `{bin}` for files that `objcopy` makes of
/// it, `{port}` for the port.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Serial {
    /// Of the agent's line, 8N1.
    pub baud: u32,
    /// What its counter's figures are worth; with a counter that steps over cycles they
    /// are worth less than `cycle-exact`, and rows say so.
    pub fidelity: Fidelity,
    /// Compiler flags instead of the toolchain's, which may be a simulator's.
    #[serde(default)]
    pub flags: Option<Vec<String>>,
    /// Makes `{hex}` or `{bin}` of `{image}`, where the flash command wants one.
    #[serde(default)]
    pub objcopy: Vec<String>,
    /// Puts the image on the board.
    pub flash: Vec<String>,
    #[serde(default = "flash_seconds")]
    pub flash_seconds: u32,
    /// Starts the program anew; without it a pulse on DTR does, as on boards with a
    /// capacitor between DTR and reset.
    #[serde(default)]
    pub reset: Vec<String>,
    /// From a reset until the agent listens: what the boot loader takes.
    pub boot_seconds: f64,
    /// The longest that an operation may take which has not been seen yet.
    #[serde(default = "answer_seconds")]
    pub answer_seconds: u32,
    /// Flash that the boot loader occupies.
    #[serde(default)]
    pub boot_loader_bytes: u64,
    /// `VENDOR:PRODUCT` in hexadecimal of the USB bridges that such boards have.
    #[serde(default)]
    pub usb: Vec<String>,
    /// How to slow the counter down when it wraps.
    #[serde(default)]
    pub divider: Option<Divider>,
    /// Debian packages that bring the commands.
    #[serde(default)]
    pub debian: Vec<String>,
    /// How to get them otherwise.
    #[serde(default)]
    pub install: String,
    /// The port; the command line knows it.
    #[serde(skip)]
    pub port: PathBuf,
    /// How long to wait for a board that is gone; for ever without one.
    #[serde(skip)]
    pub patience: Option<Duration>,
    /// Where the system keeps names of ports that stay the same.
    #[serde(skip, default = "by_id")]
    pub by_id: PathBuf,
}

/// A macro of the port, and what it may be: cycles of the core for each tick.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Divider {
    pub define: String,
    /// From the smallest, which the port has by itself.
    pub values: Vec<u32>,
}

fn flash_seconds() -> u32 {
    60
}

fn answer_seconds() -> u32 {
    60
}

fn by_id() -> PathBuf {
    BY_ID.into()
}

impl Board {
    /// Whether it takes no more than this machine to measure on it: no cable, no hardware.
    pub fn is_here(&self) -> bool {
        self.runner != SERIAL
    }

    /// The board as that runner has it: on a cable other flags may hold, a boot loader
    /// takes its share of the flash, and figures are worth what its counter is.
    pub fn on(&self, runner: &str) -> Cow<'_, Board> {
        let Some(serial) = self.serial.as_ref().filter(|_| runner == SERIAL) else {
            return Cow::Borrowed(self);
        };
        let mut board = self.clone();
        board.runner = SERIAL.to_owned();
        board.fidelity = serial.fidelity;
        if let Some(flags) = &serial.flags {
            board.toolchain.flags.clone_from(flags);
        }
        if let Some(memory) = &mut board.memory {
            memory.flash = memory.flash.saturating_sub(serial.boot_loader_bytes);
        }
        Cow::Owned(board)
    }
}

/// The emulator of a board.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Qemu {
    /// The emulator, found on PATH.
    pub program: String,
    /// Its arguments; `{image}` is the path of the image.
    pub arguments: Vec<String>,
    /// Debian packages that bring it.
    #[serde(default)]
    pub debian: Vec<String>,
}

impl Toolchain {
    /// The C++ compiler driver: the one named, else the one that stands beside the C driver.
    pub fn cxx(&self) -> String {
        if let Some(cxx) = &self.cxx {
            return cxx.clone();
        }
        for (c, cpp) in [("gcc", "g++"), ("clang", "clang++"), ("cc", "c++")] {
            if let Some(prefix) = self.cc.strip_suffix(c) {
                return format!("{prefix}{cpp}");
            }
        }
        format!("{}++", self.cc)
    }
}

#[cfg(test)]
mod tests {
    use super::Toolchain;

    #[test]
    fn the_cpp_driver_stands_beside_the_c_driver() {
        for (cc, cxx) in [
            ("avr-gcc", "avr-g++"),
            ("cc", "c++"),
            ("riscv64-unknown-elf-gcc", "riscv64-unknown-elf-g++"),
            ("clang", "clang++"),
        ] {
            let toolchain: Toolchain = toml::from_str(&format!("cc = \"{cc}\"")).expect("TOML");
            assert_eq!(toolchain.cxx(), cxx);
        }
        let named: Toolchain = toml::from_str("cc = \"cc\"\ncxx = \"mine\"").expect("TOML");
        assert_eq!(named.cxx(), "mine");
    }
}
