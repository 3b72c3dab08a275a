//! The configuration file. The options of the commands are its only definition: a section
//! is a command, a key an option, and a value is read by the parser of that option. Values
//! become arguments where the command line and the environment do not say otherwise.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, CommandFactory, FromArgMatches};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::Cli;

/// The commands that run for long, each with a section.
const SECTIONS: [&str; 4] = ["up", "gateway", "collect", "broker"];
/// The section of the lab: where the board is, for its commands that measure.
const LAB: &str = "lab";
const LAB_KEYS: [&str; 2] = ["port", "wait"];
/// The commands that take keys from above the sections, too: where the state is.
const ALSO: [&str; 3] = ["device", "backup", "restore"];
/// Options of every command; no keys.
const NO_KEYS: [&str; 4] = ["config", "project", "help", "version"];

/// A file that does not say what it should, all that is wrong with it.
#[derive(Debug, thiserror::Error)]
#[error("{}", .faults.join("\n"))]
pub struct Error {
    faults: Vec<String>,
}

impl Error {
    pub fn hint(&self) -> Option<String> {
        Some("`selo config init -` prints every key with what it means".into())
    }
}

#[derive(Debug, clap::Subcommand)]
#[command(after_help = "\
A section is a command; a key is one of its long options. Keys above the first section apply
to every command that has them. Precedence: command line, environment (SELO_ and the option's
name, such as SELO_TLS_CERT for --tls-cert), file, default. Relative paths start at the working
directory.

Examples:
  selo config init                       writes selo.toml, every key with what it means
  selo config check selo.toml
  selo --config selo.toml config show up
  selo --config selo.toml up")]
pub enum Command {
    /// Write a file with every key, its meaning and its default
    Init {
        /// The file, which must not be there yet; - is standard output
        #[arg(default_value = "selo.toml")]
        file: PathBuf,
    },
    /// Say what is wrong with a file
    Check {
        /// The file (default: the one that commands would read)
        file: Option<PathBuf>,
    },
    /// Show what a command would run with, and where each value comes from
    Show {
        /// The command
        #[arg(value_parser = SECTIONS)]
        command: String,
        /// Options that it would get
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        options: Vec<OsString>,
    },
}

/// The whole command line, where each option of a section has its variable.
pub fn command() -> clap::Command {
    let mut command = Cli::command();
    for section in SECTIONS {
        command = command.mut_subcommand(section, |sub| {
            sub.mut_args(|arg| {
                if arg.get_env().is_some() || arg.get_long().is_none() {
                    return arg;
                }
                // Lives as long as the program, and is made once.
                let name: &'static str = variable(&key(&arg)).leak();
                arg.env(name).hide_env(true)
            })
        });
    }
    command
}

fn variable(key: &str) -> String {
    format!("SELO_{}", key.replace('-', "_").to_uppercase())
}

/// The key of an option; that of an argument is its name.
fn key(arg: &Arg) -> String {
    match arg.get_long() {
        Some(long) => long.to_owned(),
        None => arg.get_id().as_str().replace('_', "-"),
    }
}

/// The options of a section, in their order.
fn keys<'a>(command: &'a clap::Command, section: &str) -> Vec<&'a Arg> {
    let Some(sub) = command.find_subcommand(section) else {
        return Vec::new();
    };
    if section == LAB {
        let run = sub.find_subcommand("run").into_iter();
        let arguments = run.flat_map(clap::Command::get_arguments);
        return arguments
            .filter(|arg| LAB_KEYS.contains(&arg.get_id().as_str()))
            .collect();
    }
    sub.get_arguments()
        .filter(|arg| !NO_KEYS.contains(&arg.get_id().as_str()) && !arg.is_hide_set())
        .collect()
}

fn sections() -> impl Iterator<Item = &'static str> {
    SECTIONS.into_iter().chain([LAB])
}

/// Reads the command line, with the file's values where nothing else speaks.
pub fn parse(arguments: Vec<OsString>) -> anyhow::Result<Cli> {
    let (arguments, _) = merge(arguments)?;
    let matches = command().get_matches_from(arguments);
    Ok(Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit()))
}

/// A value of the file that is in force, by the id of its option.
struct Taken {
    id: String,
    line: usize,
}

/// The arguments with those of the file behind them, and which these are.
fn merge(mut arguments: Vec<OsString>) -> anyhow::Result<(Vec<OsString>, Vec<Taken>)> {
    let known = command();
    let Ok(matches) = known
        .clone()
        .ignore_errors(true)
        .try_get_matches_from(&arguments)
    else {
        return Ok((arguments, Vec::new()));
    };
    let Some((name, mut given)) = matches.subcommand() else {
        return Ok((arguments, Vec::new()));
    };
    let mut built = known.clone();
    built.build();
    let Some(mut leaf) = built.find_subcommand(name) else {
        return Ok((arguments, Vec::new()));
    };
    let mut is_leaf = true;
    while let Some((name, deeper)) = given.subcommand() {
        let Some(sub) = leaf.find_subcommand(name) else {
            break;
        };
        (leaf, given, is_leaf) = (sub, deeper, false);
    }
    // A command below a section takes what stands above the sections, as others do.
    let measures = name == LAB && leaf.get_arguments().any(|arg| arg.get_id() == LAB_KEYS[0]);
    let is_leaf = is_leaf || measures;
    let section = (SECTIONS.contains(&name) || measures).then_some(name);
    if section.is_none() && !ALSO.contains(&name) {
        return Ok((arguments, Vec::new()));
    }
    let path = matches.get_one::<PathBuf>("config").cloned();
    let Some(file) = File::find(path.as_deref())? else {
        return Ok((arguments, Vec::new()));
    };
    file.check(&known)?;
    let explicit = |id: &str| {
        let source = given
            .try_contains_id(id)
            .ok()
            .and_then(|_| given.value_source(id));
        matches!(
            source,
            Some(ValueSource::CommandLine | ValueSource::EnvVariable)
        )
    };
    let (mut more, mut taken) = (Vec::new(), Vec::new());
    for arg in leaf.get_arguments() {
        let id = arg.get_id().as_str();
        if NO_KEYS.contains(&id) || explicit(id) {
            continue;
        }
        let overruled = leaf
            .get_arg_conflicts_with(arg)
            .iter()
            .any(|other| explicit(other.get_id().as_str()));
        let entry = file.entry(section.filter(|_| is_leaf), &key(arg));
        let Some(entry) = entry.filter(|_| !overruled) else {
            continue;
        };
        // It has been checked.
        more.extend(entry.arguments(arg).unwrap_or_default());
        taken.push(Taken {
            id: id.into(),
            line: entry.line,
        });
    }
    let end = arguments.iter().position(|one| one == "--");
    let end = end.unwrap_or(arguments.len());
    arguments.splice(end..end, more);
    Ok((arguments, taken))
}

/// A key with its value, as the file has it.
struct Entry {
    /// `None`: above the sections.
    section: Option<String>,
    key: String,
    line: usize,
    /// The texts of a value, or of each of a list; `Err` says what it is instead.
    value: Result<Value, &'static str>,
}

enum Value {
    Switch(bool),
    Texts { list: bool, texts: Vec<String> },
}

impl Entry {
    /// The value as arguments of the command line; else what is wrong with it.
    fn arguments(&self, arg: &Arg) -> Result<Vec<OsString>, String> {
        let is_switch = matches!(arg.get_action(), ArgAction::SetTrue);
        let value = self.value.as_ref();
        let texts = match value.map_err(|what| format!("{what} cannot be a value"))? {
            Value::Switch(on) if is_switch => {
                let on = on.then(|| format!("--{}", self.key).into());
                return Ok(on.into_iter().collect());
            }
            _ if is_switch => return Err("it is true or false".into()),
            Value::Switch(on) => {
                return Err(format!("'{on}' is none; put its value between quotes"));
            }
            Value::Texts { list: true, .. } if !matches!(arg.get_action(), ArgAction::Append) => {
                return Err("it takes one value, no list".into());
            }
            Value::Texts { texts, .. } => texts,
        };
        let mut arguments = Vec::new();
        for text in texts {
            fits(arg, text)?;
            arguments.push(match arg.get_long() {
                Some(long) => format!("--{long}={text}").into(),
                None => text.into(),
            });
        }
        Ok(arguments)
    }
}

/// Asks the option's own parser.
fn fits(arg: &Arg, text: &str) -> Result<(), String> {
    let alone = Arg::new("value")
        .long("value")
        .action(arg.get_action().clone())
        .value_parser(arg.get_value_parser().clone());
    let asked = clap::Command::new("selo")
        .no_binary_name(true)
        .arg(alone)
        .try_get_matches_from([format!("--value={text}")]);
    let Err(error) = asked else { return Ok(()) };
    let reason = match error.kind() {
        ErrorKind::InvalidValue => match error.get(ContextKind::ValidValue) {
            Some(ContextValue::Strings(valid)) if !valid.is_empty() => {
                format!("it is one of {}", valid.join(", "))
            }
            _ => "it is empty".into(),
        },
        _ => std::error::Error::source(&error)
            .map_or_else(|| error.kind().to_string(), ToString::to_string),
    };
    if is_secret(arg) {
        return Err(reason);
    }
    Err(format!("'{text}': {reason}"))
}

/// A value that may hold a password: what the help does not show, `show` does not either.
fn is_secret(arg: &Arg) -> bool {
    arg.is_hide_env_values_set()
}

/// A file, read.
struct File {
    path: PathBuf,
    entries: Vec<Entry>,
    /// Sections as they stand, with their lines.
    sections: Vec<(String, usize)>,
}

impl File {
    /// The file that is named, else the one that is there.
    fn find(path: Option<&Path>) -> anyhow::Result<Option<File>> {
        if let Some(path) = path {
            return File::read(path).map(Some);
        }
        let own = std::env::var_os("XDG_CONFIG_HOME")
            .map(PathBuf::from)
            .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".config")));
        own.into_iter()
            .chain([PathBuf::from("/etc")])
            .map(|folder| folder.join("selo/selo.toml"))
            .find(|path| path.is_file())
            .map(|path| File::read(&path))
            .transpose()
    }

    fn read(path: &Path) -> anyhow::Result<File> {
        let text = std::fs::read_to_string(path).map_err(|source| selo_gateway::Error::Read {
            path: path.into(),
            source,
        })?;
        File::parse(path, &text).map_err(Into::into)
    }

    fn parse(path: &Path, text: &str) -> Result<File, Error> {
        let line = |at: usize| text[..at.min(text.len())].matches('\n').count() + 1;
        let table = DeTable::parse(text).map_err(|error| Error {
            faults: vec![format!(
                "{}:{}: {}",
                path.display(),
                error.span().map_or(1, |span| line(span.start)),
                error.message()
            )],
        })?;
        let mut file = File {
            path: path.into(),
            entries: Vec::new(),
            sections: Vec::new(),
        };
        for (name, value) in table.get_ref() {
            let at = line(name.span().start);
            match value.get_ref() {
                DeValue::Table(table) => {
                    file.sections.push((name.get_ref().to_string(), at));
                    for (key, value) in table {
                        let at = line(key.span().start);
                        file.add(Some(name.get_ref()), key.get_ref(), at, value);
                    }
                }
                _ => file.add(None, name.get_ref(), at, value),
            }
        }
        Ok(file)
    }

    fn add(&mut self, section: Option<&str>, key: &str, line: usize, value: &Spanned<DeValue<'_>>) {
        let value = match value.get_ref() {
            DeValue::Boolean(on) => Ok(Value::Switch(*on)),
            DeValue::Array(list) => list
                .iter()
                .map(|one| text(one.get_ref()))
                .collect::<Result<_, _>>()
                .map(|texts| Value::Texts { list: true, texts }),
            one => text(one).map(|text| Value::Texts {
                list: false,
                texts: vec![text],
            }),
        };
        self.entries.push(Entry {
            section: section.map(Into::into),
            key: key.replace('_', "-"),
            line,
            value,
        });
    }

    /// The section's own, else what stands above the sections.
    fn entry(&self, section: Option<&str>, key: &str) -> Option<&Entry> {
        let find = |section: Option<&str>| {
            self.entries
                .iter()
                .find(|entry| entry.section.as_deref() == section && entry.key == key)
        };
        section.and_then(|_| find(section)).or_else(|| find(None))
    }

    /// Every key must be one, every value fit.
    fn check(&self, command: &clap::Command) -> Result<(), Error> {
        let path = self.path.display();
        let mut faults = Vec::new();
        for (name, line) in &self.sections {
            if !sections().any(|one| one == name) {
                let near = nearest(name, sections().map(str::to_owned));
                let near = near.map_or(String::new(), |near| format!("; did you mean [{near}]?"));
                faults.push(format!("{path}:{line}: there is no section [{name}]{near}"));
            }
        }
        for entry in &self.entries {
            let line = entry.line;
            let sections: Vec<&str> = match entry.section.as_deref() {
                None => SECTIONS.to_vec(),
                Some(section) if sections().any(|one| one == section) => vec![section],
                // Said already.
                Some(_) => continue,
            };
            let args: Vec<&Arg> = sections
                .iter()
                .flat_map(|section| keys(command, section))
                .collect();
            match args.iter().find(|arg| key(arg) == entry.key) {
                Some(arg) => {
                    if let Err(why) = entry.arguments(arg) {
                        faults.push(format!("{path}:{line}: {}: {why}", entry.key));
                    }
                }
                None => {
                    let whose = match entry.section.as_deref() {
                        Some(section) => format!("[{section}] has"),
                        None => "there is".into(),
                    };
                    let near = nearest(&entry.key, args.iter().map(|arg| key(arg)));
                    let near =
                        near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
                    faults.push(format!(
                        "{path}:{line}: {whose} no key '{}'{near}",
                        entry.key
                    ));
                }
            }
        }
        if faults.is_empty() {
            return Ok(());
        }
        Err(Error { faults })
    }
}

fn text(value: &DeValue<'_>) -> Result<String, &'static str> {
    match value {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Ok(number.as_str().to_owned()),
        DeValue::Float(number) => Ok(number.as_str().to_owned()),
        DeValue::Integer(_) => Err("a number that is not decimal"),
        DeValue::Boolean(_) => Err("true or false in a list"),
        DeValue::Datetime(_) => Err("a date"),
        DeValue::Array(_) => Err("a list in a list"),
        DeValue::Table(_) => Err("a table"),
    }
}

fn nearest(name: &str, known: impl Iterator<Item = String>) -> Option<String> {
    known
        .map(|one| (strsim::damerau_levenshtein(name, &one), one))
        .filter(|(distance, one)| *distance <= one.len().max(name.len()).div_ceil(3))
        .min()
        .map(|(_, one)| one)
}

impl Command {
    pub fn run(&self, config: Option<&Path>) -> anyhow::Result<ExitCode> {
        match self {
            Command::Init { file } if file.as_os_str() == "-" => {
                std::io::stdout().write_all(whole().as_bytes())?;
            }
            Command::Init { file } => init(file)?,
            Command::Check { file } => check(file.as_deref().or(config))?,
            Command::Show { command, options } => {
                let text = show(command, options, config)?;
                std::io::stdout().write_all(text.as_bytes())?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn init(path: &Path) -> anyhow::Result<()> {
    let written = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        // Addresses of databases and webhooks may hold secrets.
        .mode(0o600)
        .open(path)
        .and_then(|mut file| file.write_all(whole().as_bytes()));
    written.map_err(|source| selo_gateway::Error::Write {
        path: path.into(),
        source,
    })?;
    Ok(())
}

/// Every key of every section, commented out.
fn whole() -> String {
    let mut text = String::from(
        "# Configuration of Selo. A section is a command, a key one of its options. A key above\n\
         # the sections is for every command that has it: state, site, log, codecs.\n\
         # What is commented out is the default.\n",
    );
    let command = command();
    for section in sections() {
        let about = command
            .find_subcommand(section)
            .and_then(clap::Command::get_about)
            .map_or(String::new(), ToString::to_string);
        // A string takes every byte.
        let _ = write!(text, "\n# {about}\n[{section}]\n");
        for arg in keys(&command, section) {
            let help = arg.get_help().map_or(String::new(), ToString::to_string);
            let _ = writeln!(text, "\n# {}", help.replace('\n', "\n# "));
            let _ = writeln!(text, "# {} = {}", key(arg), example(arg));
        }
    }
    text
}

/// The default as TOML, else an example of what it takes.
fn example(arg: &Arg) -> String {
    if matches!(arg.get_action(), ArgAction::SetTrue) {
        return "false".into();
    }
    let default: Vec<String> = arg
        .get_default_values()
        .iter()
        .map(|value| value.to_string_lossy().into_owned())
        .collect();
    match default.as_slice() {
        [one] => value_of(one),
        _ if matches!(arg.get_action(), ArgAction::Append) => "[]".into(),
        _ => {
            let names: Vec<&str> = arg
                .get_value_names()
                .unwrap_or_default()
                .iter()
                .map(|name| name.as_str())
                .collect();
            format!("\"{}\"", names.join(" "))
        }
    }
}

fn value_of(text: &str) -> String {
    if text.parse::<i64>().is_ok() {
        return text.to_owned();
    }
    toml::Value::String(text.to_owned()).to_string()
}

fn check(path: Option<&Path>) -> anyhow::Result<()> {
    let Some(file) = File::find(path)? else {
        anyhow::bail!("there is no configuration file");
    };
    let known = command();
    file.check(&known)?;
    // Keys that need one another.
    let mut faults = Vec::new();
    for (section, line) in &file.sections {
        let own = |entry: &Entry| entry.section.as_ref() == Some(section);
        if section == LAB || !file.entries.iter().any(own) {
            continue;
        }
        let mut arguments = vec![OsString::from("selo"), section.into()];
        for arg in keys(&known, section) {
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

/// What a command would run with, as a file that says so, each line with its origin.
fn show(section: &str, options: &[OsString], config: Option<&Path>) -> anyhow::Result<String> {
    let mut arguments = vec![OsString::from("selo")];
    if let Some(path) = config {
        arguments.extend(["--config".into(), path.into()]);
    }
    arguments.push(section.into());
    arguments.extend_from_slice(options);
    let (arguments, taken) = merge(arguments)?;
    let known = command();
    let matches = known.clone().get_matches_from(arguments);
    let file = File::find(config)?;
    let mut text = format!("[{section}]\n");
    let Some((_, matches)) = matches.subcommand() else {
        return Ok(text);
    };
    for arg in keys(&known, section) {
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

/// A value as TOML, without what is secret in it.
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

/// An address with its scheme, user and host alone; a path as it is.
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

    fn faults(text: &str) -> String {
        let checked =
            File::parse(Path::new("selo.toml"), text).and_then(|file| file.check(&command()));
        checked.map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn every_key_of_the_written_file_is_one() {
        let text = whole();
        assert_eq!(faults(&text), "");
        // As they would be without the marks, where an example is no value, it is not tried.
        let bare: String = text
            .lines()
            .filter_map(|line| match line.strip_prefix("# ") {
                Some(line) if line.contains(" = ") && !line.contains(" = \"") => Some(line),
                Some(line) if line.contains(" = \"") && line.contains(':') => None,
                Some(_) => None,
                None => Some(line),
            })
            .map(|line| format!("{line}\n"))
            .collect();
        assert!(bare.lines().count() > 20, "{bare}");
        assert_eq!(faults(&bare), "");
        for section in SECTIONS {
            for arg in keys(&command(), section) {
                let line = format!("# {} = ", key(arg));
                assert!(text.contains(&line), "{section}: {line}");
                assert!(arg.get_help().is_some(), "{section}: {line}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line_and_the_nearest_key() {
        for (text, said) in [
            (
                "[up]\nhtpp = \"127.0.0.1:1\"\n",
                "selo.toml:2: [up] has no key 'htpp'; did you mean 'http'?",
            ),
            (
                "[upp]\n",
                "selo.toml:1: there is no section [upp]; did you mean [up]?",
            ),
            (
                "\n\n[up]\n\nhttp = \"x\"\n",
                "selo.toml:5: http: 'x': invalid socket address syntax",
            ),
            (
                "[up]\nlog = \"loud\"\n",
                "selo.toml:2: log: 'loud': it is one of error, warn, info, debug",
            ),
            (
                "[up]\ntls = \"yes\"\n",
                "selo.toml:2: tls: it is true or false",
            ),
            ("[up]\nhttp = true\n", "selo.toml:2: http: 'true' is none"),
            (
                "[up]\nhttp = [\"127.0.0.1:1\"]\n",
                "selo.toml:2: http: it takes one value, no list",
            ),
            (
                "[up.http]\na = 1\n",
                "selo.toml:1: http: a table cannot be a value",
            ),
            (
                "stie = \"a\"\n",
                "selo.toml:1: there is no key 'stie'; did you mean 'site'?",
            ),
            ("[up]\nhttp = \n", "selo.toml:2: "),
            (
                "[up]\nundelivered = -1\n",
                "selo.toml:2: undelivered: '-1': ",
            ),
        ] {
            let found = faults(text);
            assert!(found.starts_with(said), "{text}: {found}");
        }
        let both = faults("[up]\na = 1\nb = 2\n");
        assert_eq!(both.lines().count(), 2, "{both}");
    }

    #[test]
    fn good_values_are_taken() {
        let text = "state = \"/var/lib/selo\"\nsite = \"farm\"\n[up]\ntls = true\n\
                    undelivered = 7\nwebhook = [\"https://a.example\", \"https://b.example\"]\n\
                    keep_raw = \"30d\"\n[broker]\nfolder = \"farm\"\n";
        assert_eq!(faults(text), "");
    }

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

    #[test]
    fn the_command_line_is_sound() {
        command().debug_assert();
    }
}
