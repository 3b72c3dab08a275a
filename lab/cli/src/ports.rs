//! `selo lab ports`: the serial ports of this machine, and the boards that may be on them.

use std::path::Path;
use std::process::ExitCode;

use selo_engine::project::Project;
use selo_engine::runner::port;
use selo_report::table::{Cell, Column, Table, TerminalStyle};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print one JSON object per line instead of a table
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, root: &Path) -> selo_base::report::Result<ExitCode> {
    let project = Project::load(root)?;
    let mut table = Table::new(
        "",
        ["port", "usb", "device", "boards"].map(Column::text).into(),
    );
    for found in port::all() {
        let boards: Vec<&str> = project
            .boards
            .iter()
            .filter(|board| port::may_be(board, &found))
            .map(|board| board.name.as_str())
            .collect();
        if args.json {
            let line = serde_json::json!({
                "port": found.path, "usb": found.usb, "product": found.product,
                "stable": found.stable, "boards": boards,
            });
            println!("{line}");
            continue;
        }
        let words = [
            found.path.display().to_string(),
            found.usb.unwrap_or_default(),
            found.product.unwrap_or_default(),
            boards.join(", "),
        ];
        table.push(words.into_iter().map(Cell::text).collect());
    }
    if args.json {
        return Ok(ExitCode::SUCCESS);
    }
    if table.body.is_empty() {
        eprintln!(
            "found no serial ports; check that the board is plugged in and that the cable carries data"
        );
        return Ok(ExitCode::SUCCESS);
    }
    println!("{}", table.to_terminal(TerminalStyle::detect()));
    Ok(ExitCode::SUCCESS)
}
