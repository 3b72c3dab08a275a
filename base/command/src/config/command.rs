//! The subcommands `init`, `check` and `show` of `config`.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches};

use selo_base::report::{Report, Result as Outcome};

use super::entry::Entry;
use super::file::{Error, File};
use super::merge::merge;
use super::spec::{LAB, Spec, is_secret, key};
use super::template::{value_of, whole};
use crate::files;

#[derive(Debug, clap::Subcommand)]
#[command(after_help = "\
A section is a command; a key is one of its long options. Keys above the first section apply
to every command that has them. Precedence: command line, environment (SELO_ and the option's
name, such as SELO_TLS_CERT for --tls-cert), file, default. Relative paths start at the working
directory. A file whose name ends with .json has the same sections and keys as JSON.

Examples:
  selo config init                       writes selo.toml, every key with what it means
  selo config check selo.toml
  selo --config selo.toml config show up
  selo --config selo.toml up")]
pub enum Command {
    /// Write a file with every key, its meaning and its default
    Init {
        /// The file, which must not exist yet; - is standard output
        #[arg(default_value = "selo.toml")]
        file: PathBuf,
    },
    /// Check a file, and print every fault
    Check {
        /// The file (default: the one that the commands would read)
        file: Option<PathBuf>,
    },
    /// Show a command's settings, and the origin of each value
    Show {
        /// The command
        command: String,
        /// Options for that command
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        options: Vec<OsString>,
    },
}

impl Command {
    pub fn run(&self, spec: &Spec, config: Option<&Path>) -> Outcome<ExitCode> {
        match self {
            Command::Init { file } if file.as_os_str() == "-" => {
                std::io::stdout().write_all(whole(spec).as_bytes())?;
            }
            Command::Init { file } => init(spec, file)?,
            Command::Check { file } => check(spec, file.as_deref().or(config))?,
            Command::Show { command, options } => {
                let text = show(spec, command, options, config)?;
                std::io::stdout().write_all(text.as_bytes())?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn init(spec: &Spec, path: &Path) -> Outcome<()> {
    let written = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        // Addresses of databases and webhooks may hold secrets.
        .mode(0o600)
        .open(path)
        .and_then(|mut file| file.write_all(whole(spec).as_bytes()));
    written.map_err(|source| files::Error::Write {
        path: path.into(),
        source,
    })?;
    Ok(())
}

fn check(spec: &Spec, path: Option<&Path>) -> Outcome<()> {
    let Some(file) = File::find(path)? else {
        selo_base::bail!("there is no configuration file");
    };
    let known = spec.command();
    file.check(spec, &known)?;
    // Keys that require one another.
    let mut faults = Vec::new();
    for (section, line) in &file.sections {
        let own = |entry: &Entry| entry.section.as_ref() == Some(section);
        if section == LAB || !file.entries.iter().any(own) {
            continue;
        }
        let mut arguments = vec![OsString::from("selo"), section.into()];
        for arg in &spec.keys(&known, section) {
            if let Some(entry) = file.entry(Some(section), &key(arg)) {
                arguments.extend(entry.arguments(arg).unwrap_or_default());
            }
        }
        if let Err(error) = known.clone().try_get_matches_from(arguments) {
            let text = error.to_string();
            let said: Vec<&str> = text
                .lines()
                .map(str::trim)
                .take_while(|line| !line.starts_with("Usage"))
                .filter(|line| !line.is_empty())
                .collect();
            let said = said.join(" ");
            let said = said.trim_start_matches("error: ");
            let path = file.path.display();
            faults.push(format!("{path}:{line}: [{section}]: {said}"));
        }
    }
    if !faults.is_empty() {
        return Err(Error { faults }.into());
    }
    eprintln!("{}: nothing is wrong with it", file.path.display());
    Ok(())
}

/// Prints a command's settings in the format of the file, with the origin of each line.
fn show(
    spec: &Spec,
    section: &str,
    options: &[OsString],
    config: Option<&Path>,
) -> Outcome<String> {
    if !spec.sections.contains(&section) {
        let known = spec.sections.join(", ");
        return Err(Report::usage(
            format!("'{section}' has no section in the configuration file"),
            format!("commands with a section: {known}"),
        ));
    }
    let mut arguments = vec![OsString::from("selo")];
    if let Some(path) = config {
        arguments.extend(["--config".into(), path.into()]);
    }
    arguments.push(section.into());
    arguments.extend_from_slice(options);
    let (arguments, taken) = merge(spec, arguments)?;
    let known = spec.command();
    let matches = known.clone().get_matches_from(arguments);
    let file = File::find(config)?;
    let mut text = format!("[{section}]\n");
    let Some((_, matches)) = matches.subcommand() else {
        return Ok(text);
    };
    for arg in &spec.keys(&known, section) {
        let id = arg.get_id().as_str();
        let values = shown(arg, matches);
        let taken = taken.iter().find(|taken| taken.id == id);
        let origin = match (taken, matches.value_source(id), &file) {
            (Some(taken), _, Some(file)) => format!("{}:{}", file.path.display(), taken.line),
            (_, Some(ValueSource::CommandLine), _) => "command line".into(),
            (_, Some(ValueSource::EnvVariable), _) => {
                let name = arg
                    .get_env()
                    .map(|name| name.to_string_lossy().into_owned());
                format!("environment, {}", name.unwrap_or_default())
            }
            _ => "default".into(),
        };
        let _ = match values {
            Some(value) => writeln!(text, "{} = {value}  # {origin}", key(arg)),
            None => writeln!(text, "# {} is not set", key(arg)),
        };
    }
    Ok(text)
}

/// A value as TOML, without secrets.
fn shown(arg: &Arg, matches: &ArgMatches) -> Option<String> {
    let id = arg.get_id().as_str();
    if matches!(arg.get_action(), ArgAction::SetTrue) {
        return Some(matches.get_flag(id).to_string());
    }
    let texts: Vec<String> = matches
        .get_raw(id)?
        .map(|value| {
            let value = value.to_string_lossy();
            value_of(&if is_secret(arg) {
                without_secrets(&value)
            } else {
                value.into_owned()
            })
        })
        .collect();
    match (arg.get_action(), texts.as_slice()) {
        (ArgAction::Append, _) => Some(format!("[{}]", texts.join(", "))),
        (_, [one]) => Some(one.clone()),
        _ => None,
    }
}

/// Reduces an address to scheme, user and host. Paths stay unchanged.
fn without_secrets(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return text.to_owned();
    };
    let end = rest.rfind('@').unwrap_or(0);
    let authority = end + rest[end..].find(['/', '?']).unwrap_or(rest.len() - end);
    let (authority, path) = rest.split_at(authority);
    let more = if path.len() > 1 { "/..." } else { path };
    match authority.rsplit_once('@') {
        Some((user, host)) => {
            let user = user.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}@{host}{more}")
        }
        None => format!("{scheme}://{authority}{more}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_left_out() {
        for (text, shown) in [
            (
                "postgres://selo:pass@db/readings?password=x",
                "postgres://selo@db/...",
            ),
            ("postgres://selo:pa/ss@db", "postgres://selo@db"),
            ("https://hooks.example/secret", "https://hooks.example/..."),
            ("/var/lib/readings.db", "/var/lib/readings.db"),
        ] {
            assert_eq!(without_secrets(text), shown);
        }
    }
}
