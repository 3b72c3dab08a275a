//! A board: a device kind, described by one file in `lab/boards/`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::Deserialize;

use crate::row::Fidelity;

/// The name of the runner for real boards.
pub const SERIAL: &str = "serial";

/// The folder in which udev keeps stable port names.
pub const BY_ID: &str = "/dev/serial/by-id";

/// The name of the runner that simulates a core's RTL.
pub const RTL: &str = "rtl";

/// The name of the board that is this PC.
pub const NATIVE: &str = "native";

/// A board file, `lab/boards/<name>.toml`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// The name on the command line and in rows; equals the file's name.
    pub name: String,
    /// The title in tables and reports.
    pub title: String,
    pub mcu: String,
    /// Clock of the core in hertz; absent where it varies.
    #[serde(default)]
    pub clock_hz: Option<u64>,
    /// Folder in `lab/firmware/ports/` with the start-up, UART and marks of this core.
    pub port: String,
    /// The default runner of images for this board.
    pub runner: String,
    pub fidelity: Fidelity,
    /// Absent where memory is not a constraint (a PC).
    #[serde(default)]
    pub memory: Option<Memory>,
    pub toolchain: Toolchain,
    pub agent: AgentSettings,
    /// The emulator, on boards whose runner is `qemu`.
    #[serde(default)]
    pub qemu: Option<Qemu>,
    /// The simulated core, on boards whose runner is `rtl`.
    #[serde(default)]
    pub rtl: Option<Rtl>,
    /// The model in `lab/boards/models/` that turns counted instructions into cycles.
    #[serde(default)]
    pub cycle_model: Option<String>,
    /// Power figures; the first is the default.
    #[serde(default)]
    pub power: Vec<crate::energy::PowerProfile>,
    /// Settings for flashing a real board and for talking to it over a cable.
    #[serde(default)]
    pub serial: Option<Serial>,
}

/// Memory limits of an image and its data, in bytes.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    pub flash: u64,
    pub ram: u64,
}

/// Settings for building an image.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Toolchain {
    /// The compiler driver, found on PATH.
    pub cc: String,
    /// The C++ compiler driver. Without it, [`Toolchain::cxx`] derives the name from `cc`.
    #[serde(default)]
    pub cxx: Option<String>,
    /// Flags of every compilation.
    #[serde(default)]
    pub flags: Vec<String>,
    /// Flags of the link.
    #[serde(default)]
    pub link_flags: Vec<String>,
    /// Debian packages with the compiler and its dependencies.
    #[serde(default)]
    pub debian: Vec<String>,
    /// Settings for building libraries in Rust. Without them the build is for this PC.
    #[serde(default)]
    pub rust: Option<Rust>,
    /// Set if the tools of an Arduino core build the images from a sketch. `link_flags` and the
    /// dialect in `flags` are then unused. The definitions in `flags` are written into the sketch's
    /// files.
    #[serde(default)]
    pub sketch: Option<Sketch>,
}

/// The tools of an Arduino core. In `compile`, `{sketch}` is the sketch's folder, `{build}` is an
/// empty folder for the output, and `{flags}` is the compiler flags. An argument that is only
/// `{flags}` becomes one argument for each flag.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sketch {
    pub compile: Vec<String>,
    /// The ELF file, relative to `{build}`.
    pub image: String,
    /// Command that prints the core's version. Its whole output identifies the compiler. Without
    /// it, the first line of `cc --version` does.
    #[serde(default)]
    pub version: Vec<String>,
    /// Installation instructions, if Debian has no packages for these tools.
    #[serde(default)]
    pub install: String,
}

/// Settings of the Rust compiler for a board.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rust {
    /// The target name for `rustc --target`.
    #[serde(default)]
    pub target: Option<String>,
    #[serde(default)]
    pub flags: Vec<String>,
    /// A command that installs the target's core library, as an alternative to rustup.
    #[serde(default)]
    pub install: Option<String>,
}

impl Toolchain {
    /// True if the compiler finds the headers of its C library.
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

/// A real board on a serial port. In the commands, `{image}` is the ELF file, `{folder}` is the
/// folder that holds it, `{hex}` and `{bin}` are files that `objcopy` makes from it, and `{port}`
/// is the port.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Serial {
    /// Baud rate of the agent's line, 8N1.
    pub baud: u32,
    /// Fidelity of the board's own counter. A counter that advances by several cycles at a time has
    /// a lower fidelity than `cycle-exact`, and rows say so.
    pub fidelity: Fidelity,
    /// Compiler flags that replace the toolchain's, which may be for a simulator.
    #[serde(default)]
    pub flags: Option<Vec<String>>,
    /// Command that makes `{hex}` or `{bin}` from `{image}`, if the flash command needs one.
    #[serde(default)]
    pub objcopy: Vec<String>,
    /// Command that writes the image to the board.
    pub flash: Vec<String>,
    #[serde(default = "flash_seconds")]
    pub flash_seconds: u32,
    /// Command that resets the board. Without it the runner pulses DTR, for boards with a capacitor
    /// between DTR and reset.
    #[serde(default)]
    pub reset: Vec<String>,
    /// Seconds from a reset until the agent listens (the boot loader's time).
    pub boot_seconds: f64,
    /// Timeout in seconds of an operation that has not run yet.
    #[serde(default = "answer_seconds")]
    pub answer_seconds: u32,
    /// Flash that the boot loader occupies.
    #[serde(default)]
    pub boot_loader_bytes: u64,
    /// USB bridges of such boards, as `VENDOR:PRODUCT` in hexadecimal.
    #[serde(default)]
    pub usb: Vec<String>,
    /// Slows the counter down when it wraps.
    #[serde(default)]
    pub divider: Option<Divider>,
    /// Debian packages with the commands.
    #[serde(default)]
    pub debian: Vec<String>,
    /// Installation instructions, if there is no Debian package.
    #[serde(default)]
    pub install: String,
    /// The port, from the command line.
    #[serde(skip)]
    pub port: PathBuf,
    /// Longest wait for a board that is gone; without a limit if `None`.
    #[serde(skip)]
    pub patience: Option<Duration>,
    /// The folder in which the system keeps stable port names.
    #[serde(skip, default = "by_id")]
    pub by_id: PathBuf,
}

/// A macro of the port that sets the cycles for each tick of its counter, and its values.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Divider {
    pub define: String,
    /// In ascending order. The first is the port's default.
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
    /// True if measuring needs only this PC: no cable, no hardware. A simulated core has to be built
    /// first and is slow, so it is measured only by name.
    pub fn is_here(&self) -> bool {
        self.runner != SERIAL && self.rtl.is_none()
    }

    /// The board as `runner` sees it. On a cable, the serial settings replace flags and fidelity,
    /// and the boot loader's size is subtracted from the flash. A simulated core that runs elsewhere
    /// has no cycles.
    pub fn on(&self, runner: &str) -> Cow<'_, Board> {
        if self.rtl.is_some() && runner != RTL {
            let mut board = self.clone();
            board.fidelity = Fidelity::Instructions;
            if let Some(qemu) = &self.qemu {
                let toolchain = &mut board.toolchain;
                if let Some(flags) = &qemu.flags {
                    toolchain.flags.clone_from(flags);
                }
                if let Some(flags) = &qemu.link_flags {
                    toolchain.link_flags.clone_from(flags);
                }
            }
            return Cow::Owned(board);
        }
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
    /// Arguments of the emulator; `{image}` is the path of the image.
    pub arguments: Vec<String>,
    /// Compiler and linker flags that replace the toolchain's, on boards with another default
    /// runner.
    #[serde(default)]
    pub flags: Option<Vec<String>>,
    #[serde(default)]
    pub link_flags: Option<Vec<String>>,
    /// Debian packages with the emulator.
    #[serde(default)]
    pub debian: Vec<String>,
}

/// The simulated core of a board (lab/sims/rtl/build.py).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rtl {
    /// The core's file in `lab/sims/rtl/cores/`.
    pub core: String,
    /// The file with this configuration, for cores that have one for each.
    #[serde(default)]
    pub source: Option<String>,
    /// The core's configuration, by the names of its own parameters.
    #[serde(default)]
    pub parameters: BTreeMap<String, String>,
    /// The core has a data cache.
    #[serde(default)]
    pub data_cache: bool,
}

impl Toolchain {
    /// The C++ compiler driver: the configured one, else derived from the name of the C driver.
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
