//! The studies' firmware on simulated chips.

mod experiment;
mod node;
