//! The configuration file. The options of the commands define its format: a section is a command, a
//! key is an option, and the option's parser reads the value. Values become arguments unless the
//! command line or the environment sets the option.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use selo_base::report::{Failure, Report, Result as Outcome, exit};

use crate::files;

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
const NO_KEYS: [&str; 4] = ["config", "project", "help", "version"];

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

/// All faults of an invalid file.
#[derive(Debug, thiserror::Error)]
#[error("{}", .faults.join("\n"))]
pub struct Error {
    faults: Vec<String>,
}

impl Failure for Error {
    fn hint(&self) -> Option<String> {
        Some("`selo config init -` prints every key with what it means".into())
    }

    fn exit_code(&self) -> u8 {
        exit::USAGE
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

/// The section [lab], as if it were a command.
fn lab() -> clap::Command {
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

    fn all_sections(&self) -> impl Iterator<Item = &'static str> {
        self.sections.iter().copied().chain([LAB])
    }

    /// A file with every key, its meaning and its default, all commented out.
    pub fn template(&self) -> String {
        whole(self)
    }

    /// Checks the text of a file.
    ///
    /// # Errors
    /// Names each line with a fault.
    pub fn check_text(&self, path: &Path, text: &str) -> Result<(), Error> {
        File::parse(path, text)?.check(self, &self.command())
    }

    /// Parses the command line. The file supplies the values that neither the command line nor the
    /// environment sets.
    ///
    /// # Errors
    /// Names each line of the file with a fault.
    pub fn parse<C: FromArgMatches>(&self, arguments: Vec<OsString>) -> Outcome<C> {
        let (arguments, _) = merge(self, arguments)?;
        let matches = self.command().get_matches_from(arguments);
        Ok(C::from_arg_matches(&matches).unwrap_or_else(|error| error.exit()))
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

/// A value of the file that is in effect, with the id of its option.
struct Taken {
    id: String,
    line: usize,
}

/// Appends the file's values to the arguments. Returns the arguments, and the values taken from the
/// file.
fn merge(spec: &Spec, mut arguments: Vec<OsString>) -> Outcome<(Vec<OsString>, Vec<Taken>)> {
    let known = spec.command();
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
    // A subcommand of a command with a section takes only the keys above the sections. In the lab a
    // subcommand with an option `port` takes only the keys of the section [lab].
    let has_port = || leaf.get_arguments().any(|arg| arg.get_id() == "port");
    let measuring = spec.measuring.filter(|_| has_port());
    let is_leaf = is_leaf || measuring.is_some();
    let own = spec.sections.contains(&name).then_some(name);
    let section = measuring.or(own);
    if section.is_none() && !spec.also.contains(&name) {
        return Ok((arguments, Vec::new()));
    }
    let path = matches.get_one::<PathBuf>("config").cloned();
    let Some(file) = File::find(path.as_deref())? else {
        return Ok((arguments, Vec::new()));
    };
    file.check(spec, &known)?;
    let place = Place {
        measuring,
        section: section.filter(|_| is_leaf),
    };
    let (more, taken) = values(&file, &place, leaf, given);
    let end = arguments.iter().position(|one| one == "--");
    let end = end.unwrap_or(arguments.len());
    arguments.splice(end..end, more);
    Ok((arguments, taken))
}

/// Where the file has the keys of a command.
struct Place<'s> {
    /// The lab's section, which has all keys of a measuring command.
    measuring: Option<&'s str>,
    /// The command's own section. Keys above the sections count too.
    section: Option<&'s str>,
}

/// The file's values as arguments, for the options that neither the command line nor the environment
/// sets.
fn values(
    file: &File,
    place: &Place<'_>,
    leaf: &clap::Command,
    given: &clap::ArgMatches,
) -> (Vec<OsString>, Vec<Taken>) {
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
        let entry = if place.measuring.is_some() {
            file.own(place.measuring, &key(arg))
        } else {
            file.entry(place.section, &key(arg))
        };
        let Some(entry) = entry.filter(|_| !overruled) else {
            continue;
        };
        // The file's check has already rejected invalid values.
        more.extend(entry.arguments(arg).unwrap_or_default());
        taken.push(Taken {
            id: id.into(),
            line: entry.line,
        });
    }
    (more, taken)
}

/// A key with its value in the file.
struct Entry {
    /// `None` for keys above the sections.
    section: Option<String>,
    key: String,
    line: usize,
    /// The text of a value, or of each element of a list. `Err` names the type that was found
    /// instead.
    value: Result<Value, &'static str>,
}

enum Value {
    Switch(bool),
    Texts { list: bool, texts: Vec<String> },
}

impl Entry {
    /// The value as arguments of the command line, or the reason why it is invalid.
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

/// Checks the value with the option's own parser.
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

/// Whether a value may hold a password. `show` hides the values that the help hides.
fn is_secret(arg: &Arg) -> bool {
    arg.is_hide_env_values_set()
}

/// A parsed file.
struct File {
    path: PathBuf,
    entries: Vec<Entry>,
    /// Sections in the order of the file, with their lines.
    sections: Vec<(String, usize)>,
}

impl File {
    /// The named file, or else the first default file that exists.
    fn find(path: Option<&Path>) -> Outcome<Option<File>> {
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

    fn read(path: &Path) -> Outcome<File> {
        let text = std::fs::read_to_string(path).map_err(|source| files::Error::Read {
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

    /// The key's entry in this section, or above the sections for `None`.
    fn own(&self, section: Option<&str>, key: &str) -> Option<&Entry> {
        self.entries
            .iter()
            .find(|entry| entry.section.as_deref() == section && entry.key == key)
    }

    /// The section's entry, or else the one above the sections.
    fn entry(&self, section: Option<&str>, key: &str) -> Option<&Entry> {
        section
            .and_then(|_| self.own(section, key))
            .or_else(|| self.own(None, key))
    }

    /// Checks that every key exists and every value is valid.
    fn check(&self, spec: &Spec, command: &clap::Command) -> Result<(), Error> {
        let path = self.path.display();
        let mut faults = Vec::new();
        for (name, line) in &self.sections {
            // The other command checks its own sections.
            if spec.sections.is_empty() {
                continue;
            }
            if !spec.all_sections().any(|one| one == name) {
                let near = nearest(name, spec.all_sections().map(str::to_owned));
                let near = near.map_or(String::new(), |near| format!("; did you mean [{near}]?"));
                faults.push(format!("{path}:{line}: there is no section [{name}]{near}"));
            }
        }
        for entry in &self.entries {
            let line = entry.line;
            let sections: Vec<&str> = match entry.section.as_deref() {
                None if spec.sections.is_empty() => continue,
                None => spec.sections.to_vec(),
                Some(section) if spec.all_sections().any(|one| one == section) => vec![section],
                // Already reported.
                Some(_) => continue,
            };
            let args: Vec<Arg> = sections
                .iter()
                .flat_map(|section| spec.keys(command, section))
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
                    let near = nearest(&entry.key, args.iter().map(key));
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

/// Every key of every section, commented out.
fn whole(spec: &Spec) -> String {
    let mut text = String::from(
        "# Configuration of Selo. A section is a command, a key one of its options. A key above\n\
         # the sections is for every command that has it: state, site, log, codecs.\n\
         # What is commented out is the default.\n",
    );
    let command = spec.command();
    for section in spec.all_sections() {
        let lab = lab();
        let defined = if section == LAB {
            Some(&lab)
        } else {
            command.find_subcommand(section)
        };
        let about = defined
            .and_then(clap::Command::get_about)
            .map_or(String::new(), ToString::to_string);
        // Writing to a string cannot fail.
        let _ = write!(text, "\n# {about}\n[{section}]\n");
        for arg in &spec.keys(&command, section) {
            let help = arg.get_help().map_or(String::new(), ToString::to_string);
            let _ = writeln!(text, "\n# {}", help.replace('\n', "\n# "));
            let _ = writeln!(text, "# {} = {}", key(arg), example(arg));
        }
    }
    text
}

/// The default as TOML, or else an example value.
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
