//! A board: a device kind, described by one file in `boards/`.

use serde::Deserialize;

use crate::row::Fidelity;

/// `boards/<name>.toml`.
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
    /// Folder in `firmware/ports/` with the start-up, UART and marks of this core.
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
    /// The model in `boards/models/` that makes cycles of counted instructions.
    #[serde(default)]
    pub cycle_model: Option<String>,
    /// Power figures, the default one first.
    #[serde(default)]
    pub power: Vec<crate::energy::PowerProfile>,
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
    /// Flags of every compilation.
    #[serde(default)]
    pub flags: Vec<String>,
    /// Flags of the link.
    #[serde(default)]
    pub link_flags: Vec<String>,
    /// Debian packages that bring the compiler and what it needs.
    #[serde(default)]
    pub debian: Vec<String>,
}

/// Limits of the agent firmware on this board.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentSettings {
    /// Largest input and largest output of one operation, in bytes.
    pub io_bytes: u32,
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
