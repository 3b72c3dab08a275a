//! A parsed file, and the check that its keys exist and its values are valid.

use std::path::{Path, PathBuf};

use clap::Arg;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use selo_base::report::{Failure, Result as Outcome, exit};

use super::entry::{Entry, Value, text};
use super::json::{self, Parsed};
use super::spec::{Spec, key};
use crate::files;

/// All faults of an invalid file.
#[derive(Debug, thiserror::Error)]
#[error("{}", .faults.join("\n"))]
pub struct Error {
    pub(super) faults: Vec<String>,
}

impl Failure for Error {
    fn hint(&self) -> Option<String> {
        Some("`selo config init -` prints every key with what it means".into())
    }

    fn exit_code(&self) -> u8 {
        exit::USAGE
    }
}

/// A parsed file.
pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) entries: Vec<Entry>,
    /// Sections in the order of the file, with their lines.
    pub(super) sections: Vec<(String, usize)>,
}

impl File {
    /// The named file, or else the first default file that exists.
    pub(super) fn find(path: Option<&Path>) -> Outcome<Option<File>> {
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
        if path.extension().is_some_and(|kind| kind == "json") {
            let fault = |(line, what)| Error {
                faults: vec![format!("{}:{line}: {what}", path.display())],
            };
            let Parsed { entries, sections } = json::parse(text).map_err(fault)?;
            let path = path.into();
            return Ok(File {
                path,
                entries,
                sections,
            });
        }
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
    pub(super) fn own(&self, section: Option<&str>, key: &str) -> Option<&Entry> {
        self.entries
            .iter()
            .find(|entry| entry.section.as_deref() == section && entry.key == key)
    }

    /// The section's entry, or else the one above the sections.
    pub(super) fn entry(&self, section: Option<&str>, key: &str) -> Option<&Entry> {
        section
            .and_then(|_| self.own(section, key))
            .or_else(|| self.own(None, key))
    }

    /// Checks that every key exists and every value is valid.
    pub(super) fn check(&self, spec: &Spec, command: &clap::Command) -> Result<(), Error> {
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

impl Spec {
    /// Checks the text of a file.
    ///
    /// # Errors
    /// Names each line with a fault.
    pub fn check_text(&self, path: &Path, text: &str) -> Result<(), Error> {
        File::parse(path, text)?.check(self, &self.command())
    }
}

fn nearest(name: &str, known: impl Iterator<Item = String>) -> Option<String> {
    known
        .map(|one| (strsim::damerau_levenshtein(name, &one), one))
        .filter(|(distance, one)| *distance <= one.len().max(name.len()).div_ceil(3))
        .min()
        .map(|(_, one)| one)
}
