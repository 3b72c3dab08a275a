//! `selo lab list`: lists the entries of the data files.

use std::path::Path;
use std::process::ExitCode;

use clap::ValueEnum;
use selo_engine::library::{Implementation, Library};
use selo_engine::project::Project;
use selo_report::table::{Cell, Column, Table, TerminalStyle};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Kind of entries to list
    what: What,
    /// Print a table in Markdown; for libraries, the table of docs/researcher/libraries.md
    #[arg(long)]
    markdown: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum What {
    Boards,
    Libraries,
    Algorithms,
    Vectors,
}

pub fn run(args: &Args, root: &Path) -> selo_base::report::Result<ExitCode> {
    let project = Project::load(root)?;
    if args.markdown && matches!(args.what, What::Libraries) {
        print!("{}", offered(&project).to_markdown());
        return Ok(ExitCode::SUCCESS);
    }
    let (head, lines) = match args.what {
        What::Boards => boards(&project),
        What::Libraries => libraries(&project),
        What::Algorithms => algorithms(&project),
        What::Vectors => vectors(&project)?,
    };
    let mut table = Table::new("", head.iter().map(|&name| Column::text(name)).collect());
    for line in lines {
        table.push(line.into_iter().map(Cell::text).collect());
    }
    if args.markdown {
        print!("{}", table.to_markdown());
    } else {
        println!("{}", table.to_terminal(TerminalStyle::detect()));
    }
    Ok(ExitCode::SUCCESS)
}

/// The heads of a list and its lines.
type List = (&'static [&'static str], Vec<Vec<String>>);

fn boards(project: &Project) -> List {
    let lines = project.boards.iter().map(|board| {
        vec![
            board.name.clone(),
            board.title.clone(),
            board.runner.clone(),
            board.fidelity.name().into(),
        ]
    });
    (&["name", "title", "runner", "fidelity"], lines.collect())
}

fn libraries(project: &Project) -> List {
    let lines = project.libraries.iter().map(|library| {
        let mut names: Vec<&str> = library
            .implementations
            .iter()
            .flat_map(|i| &i.algorithms)
            .map(String::as_str)
            .collect();
        names.sort_unstable();
        names.dedup();
        let mark = if library.test_only {
            " (tests the instrument)"
        } else {
            ""
        };
        vec![
            library.name.clone(),
            format!("{}{mark}", library.title),
            library.version.clone(),
            library.licence.clone(),
            library.registry().unwrap_or("the project").into(),
            if library.is_cached() { "yes" } else { "no" }.into(),
            names.len().to_string(),
        ]
    });
    (
        &[
            "name",
            "title",
            "version",
            "licence",
            "source",
            "cached",
            "algorithms",
        ],
        lines.collect(),
    )
}

fn algorithms(project: &Project) -> List {
    let bytes = |size: Option<u32>| size.map_or(String::new(), |bytes| bytes.to_string());
    let lines = project.algorithms.iter().map(|a| {
        vec![
            a.name.clone(),
            a.title.clone(),
            a.family.clone(),
            bytes(a.public_bytes),
            bytes(a.private_bytes),
            bytes(a.signature_bytes),
        ]
    });
    (
        &[
            "name",
            "title",
            "family",
            "public key (bytes)",
            "private key (bytes)",
            "signature (bytes)",
        ],
        lines.collect(),
    )
}

fn vectors(project: &Project) -> selo_base::report::Result<List> {
    let catalog = project.catalog()?;
    let mut lines = Vec::new();
    for algorithm in &project.algorithms {
        for set in catalog.sets_for(&algorithm.name) {
            let cases = set
                .cases(&algorithm.name)
                .map_err(selo_engine::Error::from)?;
            lines.push(vec![
                algorithm.name.clone(),
                set.id.clone(),
                cases.len().to_string(),
                set.source.clone(),
            ]);
        }
    }
    Ok((&["algorithm", "set", "cases", "source"], lines))
}

/// The libraries and their algorithms. The table does not depend on the machine, so it leaves out
/// the libraries that are bound by trial there.
fn offered(project: &Project) -> Table {
    let heads = [
        "Library",
        "Version",
        "Licence",
        "Source",
        "Variants",
        "Algorithms",
        "Notes",
    ];
    let mut table = Table::new("Libraries", heads.into_iter().map(Column::text).collect());
    let shown = |library: &&Library| !library.test_only && !library.by_trial;
    for library in project.libraries.iter().filter(shown) {
        let each = |pick: fn(&Implementation) -> &Vec<String>| {
            let mut names: Vec<&str> = Vec::new();
            for name in library.implementations.iter().flat_map(pick) {
                if !names.contains(&name.as_str()) {
                    names.push(name);
                }
            }
            names.join(", ")
        };
        let mut note = library.note.clone().unwrap_or_default();
        for deviation in &library.deviations {
            note.push_str(&format!(
                " {}: {} ({}).",
                deviation.algorithm,
                deviation.reason,
                deviation.cases.join(", ")
            ));
        }
        table.push(vec![
            Cell::text(&library.title),
            Cell::text(&library.version),
            Cell::text(&library.licence),
            Cell::text(library.origin()),
            Cell::text(each(|implementation| &implementation.variants)),
            Cell::text(each(|implementation| &implementation.algorithms)),
            Cell::text(note.trim()),
        ]);
    }
    table
}
