//! A core's RTL, simulated cycle by cycle (lab/sims/rtl). The board's file has the configuration; the
//! program is built from it and named after the board.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::chip::ChipSession;
use super::session::{Exchange, Session, require, silence};
use crate::board::{Board, RTL};
use crate::elf::Weight;
use crate::error::Result;
use crate::row::Fidelity;

/// Each cycle takes about ten times as long as on a simulated AVR.
const SLOWER: u64 = 10;

/// The program that simulates the board's core.
pub(super) fn program(root: &Path, board: &Board) -> Result<PathBuf> {
    let program = path(root, board);
    require(&program, "make rtl", RTL)?;
    Ok(program)
}

fn path(root: &Path, board: &Board) -> PathBuf {
    root.join(format!("target/sims/selo-rtl-{}", board.name))
}

/// True if the board's program has passed lab/sims/rtl/gate.py since it was built. The gate copies
/// the stamp of the build.
pub fn has_passed(root: &Path, board: &Board) -> bool {
    let program = path(root, board);
    let read = |extension: &str| std::fs::read(program.with_extension(extension)).ok();
    read("stamp").is_some_and(|stamp| read("gate") == Some(stamp))
}

/// A simulated core. Without the gate, its cycles are not shown.
pub(super) struct RtlSession {
    chip: ChipSession,
    shows_cycles: bool,
}

impl RtlSession {
    /// Starts `image`.
    pub(super) fn start(
        root: &Path,
        board: &Board,
        image: &Path,
        weight: &Weight,
        cycle_limit: u64,
    ) -> Result<RtlSession> {
        let command = Command::new(program(root, board)?);
        let mut chip = ChipSession::start(RTL, command, board, image, weight, cycle_limit)?;
        chip.patience = silence(cycle_limit.saturating_mul(SLOWER));
        let shows_cycles = board.fidelity == Fidelity::CycleExact;
        Ok(RtlSession { chip, shows_cycles })
    }
}

impl Session for RtlSession {
    fn exchange(&mut self, request: &[u8]) -> Result<Exchange> {
        let mut exchange = self.chip.exchange(request)?;
        if !self.shows_cycles {
            exchange.spans.clear();
        }
        Ok(exchange)
    }
}
