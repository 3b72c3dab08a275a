//! The lab on emulated boards, simulated ports, crates, archives and repositories.

mod bed;
mod boards;
mod cargo;
mod footprint;
mod git;
mod input;
mod pty_board;
mod serial;
mod source;
