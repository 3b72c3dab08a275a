//! `selo exchange compare`: a paper's figures beside the measured ones.

use std::path::{Path, PathBuf};

use clap::Args;

use super::shared::{Form, ROWS, all_rows, root};
use crate::error::Result;
use crate::published;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  selo exchange compare ferreira2020
  selo exchange compare ferreira2021 out/exchange/rows.jsonl")]
pub struct CompareArgs {
    /// Name of a file in the folder papers, without .toml
    paper: String,
    /// Rows
    #[arg(value_name = "FILE", default_value = ROWS)]
    rows: Vec<PathBuf>,
    /// Folder of the papers (default: the project's)
    #[arg(long, value_name = "DIR")]
    papers: Option<PathBuf>,
    #[command(flatten)]
    form: Form,
}

impl CompareArgs {
    pub(super) fn run(&self, project: Option<&Path>) -> Result<()> {
        let papers = match &self.papers {
            Some(folder) => folder.clone(),
            None => root(project)?.join("lab/papers"),
        };
        let paper = published::read(&papers, &self.paper)?;
        let rows = all_rows(&self.rows)?;
        self.form.print(&published::compare(&paper, &rows));
        Ok(())
    }
}
