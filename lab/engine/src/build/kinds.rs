//! The kinds of image that a row needs: with the agent, for a footprint, and as a whole program.

use super::builder::{Builder, Image};
use super::content::{BUFFERS, Content};
use crate::error::Result;
use crate::interface::Footprint;
use crate::library::{Unit, macro_name};

impl Builder<'_> {
    /// The image with the agent and every operation of the unit.
    pub fn agent(&self, unit: &Unit<'_>) -> Result<Image> {
        self.agent_with(unit, &[])
    }

    /// The same with buffers of `bytes` bytes, which cannot be more than the board's.
    pub fn agent_with_buffers(&self, unit: &Unit<'_>, bytes: u32) -> Result<Image> {
        let own = bytes >= self.board.agent.io_bytes;
        let defines = [format!("{BUFFERS}{bytes}")];
        self.agent_with(unit, if own { &[] } else { &defines })
    }

    /// The same with other settings of the port, such as `-DNAME=VALUE`.
    pub fn agent_with(&self, unit: &Unit<'_>, defines: &[String]) -> Result<Image> {
        let sources = &self.port.agent_sources;
        self.image(unit, sources, defines, Content::Library)
    }

    /// A program that only calls the operations of `footprint`.
    pub fn footprint(&self, unit: &Unit<'_>, footprint: &Footprint) -> Result<Image> {
        let defines = footprint_defines(footprint.operations);
        let sources = &self.port.footprint_sources;
        self.image(unit, sources, &defines, Content::Library)
    }

    /// The same program calling nothing, by the same flags: what [`Builder::footprint`] grows from.
    /// It has nothing of the unit, because the linker keeps static objects, constructors and
    /// interrupt handlers even where nothing calls them.
    pub fn baseline(&self, unit: &Unit<'_>) -> Result<Image> {
        let defines = ["-DAGENT_FOOTPRINT=1".to_owned()];
        let sources = &self.port.footprint_sources;
        self.image(unit, sources, &defines, Content::Nothing)
    }

    /// True if the port says how a whole program is built.
    pub fn weighs_whole(&self) -> bool {
        !self.port.whole_flags.is_empty()
    }

    /// A whole program that calls the operations of `footprint`, as a user builds it: with link-time
    /// optimisation, and with buffers of one block.
    pub fn whole(&self, unit: &Unit<'_>, footprint: &Footprint) -> Result<Image> {
        let mut defines = footprint_defines(footprint.operations);
        defines.push("-DFOOTPRINT_BYTES=16".to_owned());
        let sources = &self.port.footprint_sources;
        self.image(unit, sources, &defines, Content::Whole)
    }

    /// The flags of [`Builder::whole`] that decide the code of a unit, as its rows have them.
    pub fn whole_flags(&self, unit: &Unit<'_>) -> Vec<String> {
        let board = &self.board.toolchain.flags[..];
        let of_unit = unit.flags(&self.board.port);
        self.vary(self.as_whole([board, &of_unit[..]].concat()))
    }

    /// The image with the agent, which also counts the heap. `None` if the port cannot.
    pub fn agent_with_heap(&self, unit: &Unit<'_>) -> Option<Result<Image>> {
        if self.port.heap_sources.is_empty() {
            return None;
        }
        let defines = ["-DAGENT_HEAP=1".to_owned()];
        let sources = [&self.port.agent_sources[..], &self.port.heap_sources].concat();
        Some(self.image(unit, &sources, &defines, Content::Heap))
    }
}

/// The macros of a program that calls these operations and nothing else.
fn footprint_defines(operations: &[&str]) -> Vec<String> {
    let selected = operations.iter();
    let selected = selected.map(|name| format!("-DFOOTPRINT_{}=1", macro_name(name)));
    let program = "-DAGENT_FOOTPRINT=1".to_owned();
    [program].into_iter().chain(selected).collect()
}
