//! `selo exchange ways`: the cost of one sealed reading by each way.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use selo_engine::energy::PowerProfile;
use selo_engine::project::Project;

use super::shared::{Form, ROWS, all_rows, draw, root};
use crate::error::{Error, Result};
use crate::ways::{self, Chip};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  selo exchange tls --ca tls/ca.pem --suite all --handshake full,resumed
  selo exchange ways --pictures out/exchange
  selo exchange ways --readings 24 --suite ascon")]
pub struct WaysArgs {
    /// Rows of `selo exchange tls`
    #[arg(value_name = "FILE", default_value = ROWS)]
    rows: Vec<PathBuf>,
    /// Readings per day
    #[arg(long, value_name = "N", default_value_t = 144, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    readings: u32,
    /// Suite of the link
    #[arg(long, value_name = "NAME", default_value = "chachapoly-blake2s")]
    suite: String,
    /// Baseline rows of the link on the board (default: bench/baseline/uno.json of the project)
    #[arg(long, value_name = "FILE")]
    link: Option<PathBuf>,
    /// Power profile of the Uno; other boards use their first profile
    #[arg(long, value_name = "NAME", default_value = "atmega328p-datasheet")]
    power: String,
    /// Write the picture (SVG) into this folder
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
    #[command(flatten)]
    form: Form,
}

impl WaysArgs {
    pub(super) fn run(&self, project: Option<&Path>) -> Result<()> {
        let root = root(project)?;
        let project = Project::load(&root)?;
        let uno = project.board("uno")?;
        if !uno.power.iter().any(|power| power.name == self.power) {
            let names: Vec<&str> = uno.power.iter().map(|power| &*power.name).collect();
            return Err(Error::usage(
                format!("unknown power profile '{}'", self.power),
                format!("use one of {}", names.join(", ")),
            ));
        }
        // Other boards use their first profile.
        let chips: BTreeMap<&str, Chip<'_>> = project
            .boards
            .iter()
            .filter_map(|board| {
                let named = |power: &&PowerProfile| power.name == self.power;
                let power = board.power.iter().find(named).or(board.power.first())?;
                let clock_hz = board.clock_hz? as f64;
                Some((&*board.name, Chip { clock_hz, power }))
            })
            .collect();
        let kept = root.join("bench/baseline/uno.json");
        let file = ways::baseline(self.link.as_ref().unwrap_or(&kept))?;
        let rows = all_rows(&self.rows)?;
        let ways = ways::ways(&file, &self.suite, &rows, self.readings);
        self.form
            .print(&[ways::table(&ways, self.readings, &chips)]);
        draw(
            self.pictures.as_deref(),
            &[ways::picture(&ways, self.readings)],
        )
    }
}
