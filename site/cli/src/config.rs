//! Which commands of `selo` have a section in the configuration file.

use clap::CommandFactory;
use selo_command::config::Spec;

use crate::cli::Cli;

/// The commands that have a section in the configuration file.
pub const SPEC: Spec = Spec {
    command: Cli::command,
    sections: &["up", "gateway", "collect", "broker"],
    also: &["device", "backup", "restore", "status"],
    measuring: None,
};
