//! The command line behind the file: its sections, their keys and the environment variables.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, Args};

/// A command line whose options can be set in a file.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The definition of the command line.
    pub command: fn() -> clap::Command,
    /// The long-running commands, each with a section.
    pub sections: &'static [&'static str],
    /// Further commands that take keys from above the sections, to find the state.
    pub also: &'static [&'static str],
    /// The section that every subcommand with an option `port` reads, if any.
    pub measuring: Option<&'static str>,
}

/// The section of the lab, which has the board's port for the commands that measure.
pub const LAB: &str = "lab";

/// Environment variable with the port of a real board.
pub const PORT: &str = "SELO_PORT";

/// Options of every command that are not keys.
pub(super) const NO_KEYS: [&str; 4] = ["config", "project", "help", "version"];

/// The connection to the board: options of the commands that measure, and keys of the section
/// [lab].
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Cable {
    /// Serial port of a real board, or `auto`: the one with such a board on USB. `selo lab
    /// ports` lists them
    #[arg(long, env = PORT, value_name = "PORT", value_hint = clap::ValueHint::FilePath)]
    pub port: Option<PathBuf>,
    /// How long to wait for an unplugged board (default: for ever)
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub wait: Option<Duration>,
}

/// The section [lab], as if it were a command.
pub(super) fn lab() -> clap::Command {
    let about = "Where the board is, for the commands of selo-lab that measure";
    Cable::augment_args(clap::Command::new(LAB).about(about))
}

impl Spec {
    /// The whole command line. Each option of a section gets its environment variable.
    pub fn command(&self) -> clap::Command {
        let mut command = (self.command)();
        for section in self.sections {
            if command.find_subcommand(section).is_none() {
                continue;
            }
            command = command.mut_subcommand(section, |sub| {
                sub.mut_args(|arg| {
                    if arg.get_env().is_some() || arg.get_long().is_none() {
                        return arg;
                    }
                    // Allocated once, for the lifetime of the program.
                    let name: &'static str = variable(&key(&arg)).leak();
                    arg.env(name).hide_env(true)
                })
            });
        }
        command
    }

    /// The options of a section, in order.
    pub fn keys(&self, command: &clap::Command, section: &str) -> Vec<Arg> {
        let found;
        let lab_section;
        let sub = if section == LAB {
            lab_section = lab();
            &lab_section
        } else {
            found = command.find_subcommand(section);
            match found {
                Some(sub) => sub,
                None => return Vec::new(),
            }
        };
        sub.get_arguments()
            .filter(|arg| !NO_KEYS.contains(&arg.get_id().as_str()) && !arg.is_hide_set())
            .cloned()
            .collect()
    }

    pub(super) fn all_sections(&self) -> impl Iterator<Item = &'static str> {
        self.sections.iter().copied().chain([LAB])
    }
}

fn variable(key: &str) -> String {
    format!("SELO_{}", key.replace('-', "_").to_uppercase())
}

/// The key of an option. An argument's key is its name.
pub fn key(arg: &Arg) -> String {
    match arg.get_long() {
        Some(long) => long.to_owned(),
        None => arg.get_id().as_str().replace('_', "-"),
    }
}

/// Whether a value may hold a password. `show` hides the values that the help hides.
pub(super) fn is_secret(arg: &Arg) -> bool {
    arg.is_hide_env_values_set()
}
