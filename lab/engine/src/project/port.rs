//! A port: the sources and flags that every image of a kind of board has.

use serde::Deserialize;

/// The sources and flags of an image for this core, without the library:
/// `lab/firmware/ports/<port>/port.toml`. Paths are relative to the project's root.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Port {
    pub agent_sources: Vec<String>,
    pub footprint_sources: Vec<String>,
    /// The port's sources for a whole program that is not a unit: start-up and heap, if no system
    /// provides them.
    #[serde(default)]
    pub program_sources: Vec<String>,
    #[serde(default)]
    pub include: Vec<String>,
    #[serde(default)]
    pub flags: Vec<String>,
    /// Flags of C++ sources. They replace a `-std=` in `flags`.
    #[serde(default = "default_cxx_flags")]
    pub cxx_flags: Vec<String>,
    #[serde(default)]
    pub link_flags: Vec<String>,
    /// Flags of a whole program, whose size is a figure of its own; the last ones, and an `-O`
    /// replaces every other. Without any, the port has no such figure.
    #[serde(default)]
    pub whole_flags: Vec<String>,
    /// The sources that count the heap in an image of the agent, and the flags that link them.
    /// Without any, the port has no such figure.
    #[serde(default)]
    pub heap_sources: Vec<String>,
    #[serde(default)]
    pub heap_link_flags: Vec<String>,
}

/// The C++ flags of the Arduino tools: no exceptions, no run-time type information, and no locks
/// around static variables. A chip without a system has no code for these.
fn default_cxx_flags() -> Vec<String> {
    [
        "-std=gnu++11",
        "-fno-exceptions",
        "-fno-rtti",
        "-fno-threadsafe-statics",
    ]
    .map(str::to_owned)
    .to_vec()
}
