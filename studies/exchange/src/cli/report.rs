//! `selo exchange report`: tables and pictures of rows.

use std::path::PathBuf;

use clap::Args;

use super::shared::{Form, ROWS, all_rows, draw};
use crate::error::Result;
use crate::figures;
use crate::row::{self, Experiment, Figure, Served};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  selo exchange report
  selo exchange report --pictures out/exchange
  selo exchange report --csv > times.csv
  selo exchange report --served out/exchange/served.jsonl")]
pub struct ReportArgs {
    /// Rows (default: out/exchange/rows.jsonl; none if it is missing and --served is given)
    #[arg(value_name = "FILE")]
    rows: Vec<PathBuf>,
    /// Counts of servers on boards' emulators (`selo exchange peer --served`)
    #[arg(long, value_name = "FILE")]
    served: Vec<PathBuf>,
    /// Write pictures (SVG) into this folder
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
    #[command(flatten)]
    form: Form,
}

impl ReportArgs {
    pub(super) fn run(&self) -> Result<()> {
        let usual = [PathBuf::from(ROWS)];
        let rows = match &self.rows[..] {
            [] if self.served.is_empty() || usual[0].exists() => all_rows(&usual)?,
            named => all_rows(named)?,
        };
        let mut served = Vec::new();
        for file in &self.served {
            served.extend(row::read::<Served>(file)?);
        }
        self.form.print(&[
            figures::symmetric(&rows),
            figures::served(&served),
            figures::comparisons(&rows, Experiment::Symmetric, Figure::Total),
            figures::tls(&rows, Experiment::Tls),
            figures::tls(&rows, Experiment::Link),
            figures::comparisons(&rows, Experiment::Tls, Figure::Handshake),
            figures::comparisons(&rows, Experiment::Tls, Figure::HandshakeCpu),
            figures::comparisons(&rows, Experiment::Tls, Figure::Exchange),
        ]);
        draw(self.pictures.as_deref(), &figures::pictures(&rows))
    }
}
