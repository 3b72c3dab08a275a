//! A file with every key, its meaning and its default.

use std::fmt::Write as _;

use clap::{Arg, ArgAction};

use super::spec::{LAB, Spec, key, lab};

impl Spec {
    /// A file with every key, its meaning and its default, all commented out.
    pub fn template(&self) -> String {
        whole(self)
    }
}

/// Every key of every section, commented out.
pub(super) fn whole(spec: &Spec) -> String {
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

pub(super) fn value_of(text: &str) -> String {
    if text.parse::<i64>().is_ok() {
        return text.to_owned();
    }
    toml::Value::String(text.to_owned()).to_string()
}
