//! Options and steps that several subcommands share.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use selo_engine::project::Project;
use selo_report::format::things;
use selo_report::svg::Picture;
use selo_report::table::{Table, TerminalStyle};

use crate::error::{Error, Result};
use crate::row::{self, Row, Rows, Unit};
use crate::run::{Measured, Plan, Progress, run};

/// The default file of rows.
pub(super) const ROWS: &str = "out/exchange/rows.jsonl";

#[derive(Debug, Args)]
pub(super) struct Limits {
    /// Maximum number of simultaneous clients
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) max_clients: u32,
    /// Seconds of silence before a client is disconnected
    #[arg(long, value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(super) timeout: u64,
}

/// The repetitions of a plan of exchanges, and the file of their rows. Both experiments use them.
#[derive(Debug, Args)]
pub(super) struct Repetitions {
    /// Counted repetitions of each combination
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    repeat: u32,
    /// Repetitions before the counted ones
    #[arg(long, value_name = "N", default_value_t = 3)]
    warm_up: u32,
    /// Seed for the order of the exchanges
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// File for the rows, one per line; the same command continues an existing file
    #[arg(long, value_name = "FILE", default_value = ROWS)]
    out: PathBuf,
    /// Scenario: a word for the machines that is stored in rows: two-processes, pc-pi, pi-pi, ...
    #[arg(long, value_name = "WORD", default_value = "two-processes")]
    pub(super) scenario: String,
    /// Description of the network between the machines
    #[arg(long, value_name = "WORDS", default_value = "loopback")]
    link: String,
    /// Time limit in seconds for each wait
    #[arg(long, value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(super) timeout: u64,
    /// Mark the rows: this machine is an emulator
    #[arg(long)]
    emulated: bool,
}

impl Repetitions {
    fn plan(&self, units: Vec<Unit>, clients: BTreeMap<String, String>) -> Plan {
        Plan {
            units,
            repeat: self.repeat,
            warm_up: self.warm_up,
            seed: self.seed,
            link: self.link.clone(),
            emulated: self.emulated,
            clients,
        }
    }

    pub(super) fn perform(
        &self,
        units: Vec<Unit>,
        clients: BTreeMap<String, String>,
        exchange: impl FnMut(&Unit) -> Result<Measured>,
    ) -> Result<()> {
        let (mut rows, before) = Rows::open(&self.out)?;
        let plan = self.plan(units, clients);
        let Progress { done, kept } = run(&plan, &mut rows, &before, exchange, |_, _| {})?;
        eprintln!(
            "{} done, {kept} kept: {}",
            things(done, "exchange", "exchanges"),
            self.out.display()
        );
        Ok(())
    }
}

#[derive(Debug, Args)]
#[group(multiple = false)]
pub(super) struct Form {
    /// Tables as Markdown
    #[arg(long)]
    markdown: bool,
    /// Tables as CSV
    #[arg(long)]
    csv: bool,
}

impl Form {
    pub(super) fn print(&self, tables: &[Table]) {
        for table in tables.iter().filter(|table| !table.body.is_empty()) {
            if self.markdown {
                println!("{}", table.to_markdown());
            } else if self.csv {
                print!("{}", table.to_csv());
            } else {
                println!("{}", table.to_terminal(TerminalStyle::detect()));
            }
        }
    }
}

/// The values that the words name, without duplicates. `all` selects every value.
pub(super) fn named<T: Copy + PartialEq>(
    words: &[String],
    all: &[T],
    by_name: impl Fn(&str) -> Option<T>,
    what: &str,
) -> Result<Vec<T>> {
    let mut found = Vec::new();
    for word in words {
        let some = match word.as_str() {
            "all" => all.to_vec(),
            name => vec![by_name(name).ok_or_else(|| {
                Error::usage(
                    format!("unknown {what} '{name}'"),
                    "`selo exchange list` shows the known names",
                )
            })?],
        };
        for one in some {
            if !found.contains(&one) {
                found.push(one);
            }
        }
    }
    Ok(found)
}

pub(super) fn say(line: &str) {
    eprintln!("{line}");
}

pub(super) fn until_stopped() {
    while selo_engine::schedule::check_interrupt().is_ok() {
        std::thread::sleep(crate::serving::LOOK);
    }
}

pub(super) fn all_rows(files: &[PathBuf]) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for file in files {
        rows.extend(row::read::<Row>(file)?);
    }
    Ok(rows)
}

/// Writes the pictures into a folder, if one is given.
pub(super) fn draw(folder: Option<&Path>, pictures: &[Picture]) -> Result<()> {
    let Some(folder) = folder else {
        return Ok(());
    };
    let failed = |error: std::io::Error| Error::File {
        path: folder.to_owned(),
        why: error.to_string(),
        hint: "check that --pictures DIR can be created".into(),
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    for picture in pictures {
        let path = folder.join(format!("{}.svg", picture.id));
        std::fs::write(&path, picture.standalone()).map_err(failed)?;
        eprintln!("{}", path.display());
    }
    Ok(())
}

pub(super) fn load(named: Option<&Path>) -> Result<Project> {
    Ok(Project::load(&root(named)?)?)
}

/// The folder of the project: the given one, or the nearest.
pub(super) fn root(named: Option<&Path>) -> Result<PathBuf> {
    if let Some(folder) = named {
        return Ok(folder.to_owned());
    }
    let here = std::env::current_dir().map_err(|source| Error::Machine {
        doing: "find the current folder",
        source,
    })?;
    let program = std::env::current_exe().ok();
    Ok(Project::find(&here, program.as_deref())?)
}
