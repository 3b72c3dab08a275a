//! The file's values as arguments of the command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::FromArgMatches;
use clap::parser::ValueSource;

use selo_base::report::Result as Outcome;

use super::file::File;
use super::spec::{NO_KEYS, Spec, key};

impl Spec {
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

/// A value of the file that is in effect, with the id of its option.
pub(super) struct Taken {
    pub(super) id: String,
    pub(super) line: usize,
}

/// Appends the file's values to the arguments. Returns the arguments, and the values taken from the
/// file.
pub(super) fn merge(
    spec: &Spec,
    mut arguments: Vec<OsString>,
) -> Outcome<(Vec<OsString>, Vec<Taken>)> {
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
