//! The configuration file. The options of the commands define its format: a section is a command, a
//! key is an option, and the option's parser reads the value. Values become arguments unless the
//! command line or the environment sets the option.

mod command;
mod entry;
mod file;
mod json;
mod merge;
mod spec;
mod template;

pub use command::Command;
pub use file::Error;
pub use spec::{Cable, LAB, PORT, Spec, key};
