//! A key of the file with its value, read by the option's own parser.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction};
use toml::de::DeValue;

use super::spec::is_secret;

/// A key with its value in the file.
pub(super) struct Entry {
    /// `None` for keys above the sections.
    pub(super) section: Option<String>,
    pub(super) key: String,
    pub(super) line: usize,
    /// The text of a value, or of each element of a list. `Err` names the type that was found
    /// instead.
    pub(super) value: Result<Value, &'static str>,
}

pub(super) enum Value {
    Switch(bool),
    Texts { list: bool, texts: Vec<String> },
}

impl Entry {
    /// The value as arguments of the command line, or the reason why it is invalid.
    pub(super) fn arguments(&self, arg: &Arg) -> Result<Vec<OsString>, String> {
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

pub(super) fn text(value: &DeValue<'_>) -> Result<String, &'static str> {
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
