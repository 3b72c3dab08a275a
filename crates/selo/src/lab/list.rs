//! `selo lab list`: what the data files define.

use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum;
use selo_lab::project::Project;
use selo_report::table::{Cell, Column, Table, TerminalStyle};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to list
    what: What,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum What {
    Boards,
    Contenders,
    Algorithms,
    Vectors,
}

pub fn run(args: &Args, root: &Path) -> anyhow::Result<ExitCode> {
    let project = Project::load(root)?;
    let (head, lines): (&[&str], Vec<Vec<String>>) = match args.what {
        What::Boards => (
            &["name", "title", "runner", "fidelity"],
            project
                .boards
                .iter()
                .map(|b| {
                    vec![
                        b.name.clone(),
                        b.title.clone(),
                        b.runner.clone(),
                        b.fidelity.name().into(),
                    ]
                })
                .collect(),
        ),
        What::Contenders => (
            &[
                "name",
                "title",
                "version",
                "licence",
                "source",
                "cached",
                "algorithms",
            ],
            project
                .contenders
                .iter()
                .map(|c| {
                    let mut names: Vec<&str> = c
                        .implementations
                        .iter()
                        .flat_map(|i| &i.algorithms)
                        .map(String::as_str)
                        .collect();
                    names.sort_unstable();
                    names.dedup();
                    let mark = if c.test_only {
                        " (tests the instrument)"
                    } else {
                        ""
                    };
                    vec![
                        c.name.clone(),
                        format!("{}{mark}", c.title),
                        c.version.clone(),
                        c.licence.clone(),
                        c.source
                            .as_ref()
                            .map_or("the project", |source| source.registry.name())
                            .into(),
                        if c.is_cached() { "yes" } else { "no" }.into(),
                        names.len().to_string(),
                    ]
                })
                .collect(),
        ),
        What::Algorithms => (
            &["name", "title", "family"],
            project
                .algorithms
                .iter()
                .map(|a| vec![a.name.clone(), a.title.clone(), a.family.clone()])
                .collect(),
        ),
        What::Vectors => {
            let catalog = project.catalog()?;
            let mut lines = Vec::new();
            for algorithm in &project.algorithms {
                for set in catalog.sets_for(&algorithm.name) {
                    let cases = set.cases(&algorithm.name).map_err(selo_lab::Error::from)?;
                    lines.push(vec![
                        algorithm.name.clone(),
                        set.id.clone(),
                        cases.len().to_string(),
                        set.source.clone(),
                    ]);
                }
            }
            (&["algorithm", "set", "cases", "source"], lines)
        }
    };
    let mut table = Table::new("", head.iter().map(|&name| Column::text(name)).collect());
    for line in lines {
        table.push(line.into_iter().map(Cell::text).collect());
    }
    println!("{}", table.to_terminal(TerminalStyle::detect()));
    Ok(ExitCode::SUCCESS)
}
