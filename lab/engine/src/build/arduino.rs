//! What a library for Arduino expects: the headers and sources of the real core where one is
//! installed for the board, and the lab's own elsewhere. The sources become an archive, so a
//! program has only what its library calls.
//!
//! The clock, the analogue pins and Serial are always the lab's (`lab/firmware/arduino`): the core's
//! need interrupts, and the wire that the agent uses.

use std::path::{Path, PathBuf};

use crate::board::Board;
use crate::data::sorted_entries;
use crate::error::Result;

/// The lab's own headers and sources.
const OWN: &str = "lab/firmware/arduino";

/// Those that go with any core.
const WITH_ANY_CORE: [&str; 2] = ["clock.cpp", "serial.cpp"];

/// The folder of Debian's package `arduino-core-avr`, and the variable that names another one.
const PLATFORM: &str = "/usr/share/arduino/hardware/arduino/avr";
const PLATFORM_VARIABLE: &str = "ARDUINO_AVR";

/// Sources of a core that need a wire, interrupts or a sketch.
const LEFT_OUT: [&str; 9] = [
    "main.cpp",
    "wiring.c",
    "wiring_analog.c",
    "HardwareSerial",
    "CDC.cpp",
    "PluggableUSB.cpp",
    "USBCore.cpp",
    // The lab's runtime has these.
    "new.cpp",
    "abi.cpp",
];

/// Headers and sources in place of an Arduino board.
#[derive(Debug)]
pub(super) struct Arduino {
    pub include: Vec<PathBuf>,
    pub sources: Vec<PathBuf>,
}

impl Arduino {
    pub fn new(root: &Path, board: &Board) -> Result<Arduino> {
        let own = root.join(OWN);
        let platform = std::env::var_os(PLATFORM_VARIABLE);
        let platform = platform.map_or_else(|| PathBuf::from(PLATFORM), PathBuf::from);
        if let Some((core, variant)) = core_of(&platform, board) {
            let mut sources = sources_in(&core)?;
            sources.retain(|source| {
                let name = source.file_name().unwrap_or_default().to_string_lossy();
                !LEFT_OUT.iter().any(|left_out| name.starts_with(left_out))
            });
            sources.extend(WITH_ANY_CORE.map(|name| own.join(name)));
            let mut include = vec![core, variant];
            for library in sorted_entries(&platform.join("libraries"))? {
                let folder = library.join("src");
                sources.extend(sources_in(&folder)?);
                include.push(folder);
            }
            include.push(own);
            return Ok(Arduino { include, sources });
        }
        Ok(Arduino {
            sources: sources_in(&own)?,
            include: vec![own],
        })
    }
}

/// The folders of the core's sources and of the board's pins, if the platform knows the board.
fn core_of(platform: &Path, board: &Board) -> Option<(PathBuf, PathBuf)> {
    if board.port != "avr" {
        return None;
    }
    let known = std::fs::read_to_string(platform.join("boards.txt")).ok()?;
    let value = |key: &str| {
        let key = format!("{}.build.{key}=", board.name);
        known
            .lines()
            .find_map(|line| line.trim().strip_prefix(&key))
    };
    let core = platform.join("cores").join(value("core")?);
    let variant = platform.join("variants").join(value("variant")?);
    (core.is_dir() && variant.is_dir()).then_some((core, variant))
}

/// The sources directly in a folder. Empty if there is no such folder.
fn sources_in(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let mut entries = sorted_entries(folder)?;
    entries.retain(|path| {
        let extension = path.extension().unwrap_or_default();
        extension == "c" || extension == "cpp"
    });
    Ok(entries)
}
