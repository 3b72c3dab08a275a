//! The attacks keep their promises, and find what they look for.

mod detectors;
mod guess;
mod promises;
mod verdicts;
