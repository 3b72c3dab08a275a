//! `selo head add`, `list` and `remove`: the heads that a gateway knows.

use std::path::PathBuf;
use std::process::ExitCode;

use selo_base::table::{Cell, Column, Table, TerminalStyle};
use selo_gateway::control::{Client, HeadStatus, HeadsStatus, Reply, Request};
use selo_gateway::error::Error;
use selo_gateway::heads::{
    GATEWAYS_MAX, Head, HeadFile, Identity, Place, SCHEMA, Store, check_name,
};
use selo_gateway::reading::rfc3339;
use selo_gateway::state::StateDir;
use serde_json::json;

use crate::gateway::State;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
If the file exists and is of a head with this name, the gateway is added to it: the head then forwards
to several gateways. Do so with `selo head add` at each of them, and the same file.")]
pub struct AddArgs {
    #[command(flatten)]
    state: State,
    /// Name of the head: 1 to 32 letters a-z, digits and hyphens
    name: String,
    /// Where the head finds this gateway: the address of its --heads, as seen from the head
    #[arg(long, value_name = "HOST:PORT", value_parser = parse_address)]
    to: String,
    /// The file to write (default: NAME.head). It holds the head's key: whoever has it can drop and
    /// delay this head's frames
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct ListArgs {
    #[command(flatten)]
    state: State,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
pub struct RemoveArgs {
    #[command(flatten)]
    state: State,
    /// Name of the head
    name: String,
}

fn parse_address(text: &str) -> Result<String, String> {
    let parts = text.rsplit_once(':').filter(|(host, _)| !host.is_empty());
    let port = parts
        .and_then(|(_, port)| port.parse::<u16>().ok())
        .filter(|port| *port > 0);
    let plain = text.len() <= 255 && text.chars().all(|c| c.is_ascii_graphic());
    match plain && port.is_some() {
        true => Ok(text.into()),
        false => Err("expected HOST:PORT, such as gateway.example.org:7357".into()),
    }
}

pub fn add(args: &AddArgs) -> selo_base::report::Result<ExitCode> {
    check_name(&args.name)?;
    let store = Store::new(&args.state.open()?);
    let path = args
        .output
        .clone()
        .unwrap_or_else(|| format!("{}.head", args.name).into());
    let mut file = match path.symlink_metadata() {
        Ok(_) => own_file(&path, &args.name)?,
        Err(_) => HeadFile {
            schema: SCHEMA.into(),
            name: args.name.clone(),
            identity: Identity::new()?,
            gateways: Vec::new(),
        },
    };
    let gateway = store.identity()?;
    let now = rfc3339(selo_gateway::clock::unix_ms()).to_string();
    let head = store.add(&args.name, file.identity.certificate(), &now)?;
    let number = head.number;
    file.gateways
        .retain(|other| other.certificate != gateway.certificate());
    file.gateways.push(Place {
        address: args.to.clone(),
        certificate: gateway.certificate().into(),
        knock: head.knock,
    });
    if let Err(error) = file.write(&path) {
        // Without its file nobody could use the entry.
        store.remove(&args.name)?;
        return Err(error.into());
    }
    println!(
        "head {number} '{}' is added; its file is {}\n\
         Copy the file to the head's machine, remove it here, and run there:\n  \
         selo head run {} --radio /dev/ttyUSB0",
        args.name,
        path.display(),
        path.file_name().unwrap_or_default().to_string_lossy()
    );
    Ok(ExitCode::SUCCESS)
}

/// The file of the head, to which another gateway is added.
fn own_file(path: &std::path::Path, name: &str) -> selo_base::report::Result<HeadFile> {
    let file = HeadFile::read(path)?;
    if file.name != name {
        let problem = format!(
            "{} is the file of the head '{}'; name another one with --output",
            path.display(),
            file.name
        );
        return Err(Error::Invalid(problem).into());
    }
    if file.gateways.len() >= GATEWAYS_MAX {
        let problem = format!("a head forwards to at most {GATEWAYS_MAX} gateways");
        return Err(Error::Invalid(problem).into());
    }
    Ok(file)
}

/// The table of heads. `of` finds a head's connection by its number.
fn table_of<'s>(heads: &[(String, Head)], of: impl Fn(u16) -> Option<&'s HeadStatus>) -> Table {
    let titles = [
        "number",
        "name",
        "state",
        "from",
        "heard",
        "heard best",
        "too many",
        "answers",
        "waited",
    ];
    let columns = titles.iter().enumerate().map(|(place, title)| match place {
        8 => Column::number(*title, "ms"),
        0 | 4.. => Column::number(*title, ""),
        _ => Column::text(*title),
    });
    let mut table = Table::new("", columns.collect());
    for (name, head) in heads {
        let number = |pick: fn(&HeadStatus) -> u64| match of(head.number) {
            Some(connection) => count(pick(connection)),
            None => Cell::none(),
        };
        table.push(vec![
            count(head.number.into()),
            Cell::text(name.clone()),
            Cell::text(state_of(of(head.number))),
            of(head.number)
                .map_or_else(Cell::none, |connection| Cell::text(connection.from.clone())),
            number(|head| head.heard),
            number(|head| head.best),
            number(|head| head.limited),
            number(|head| head.answers),
            number(|head| head.waited_ms),
        ]);
    }
    table
}

pub fn list(args: &ListArgs) -> selo_base::report::Result<ExitCode> {
    let state = args.state.open()?;
    let all = Store::new(&state).all()?;
    for problem in &all.damaged {
        eprintln!("warning: {problem}");
    }
    let running = connected(&state)?;
    let of = |number: u16| {
        let heads = running.as_ref().map(|running| &running.heads);
        heads.and_then(|heads| heads.iter().find(|head| head.number == number))
    };
    if args.json {
        for (name, head) in &all.heads {
            let line = json!({
                "schema": "selo.head-status/1",
                "number": head.number,
                "name": name,
                "added": head.added,
                "connection": of(head.number),
            });
            println!("{line}");
        }
        return Ok(ExitCode::SUCCESS);
    }
    if all.heads.is_empty() {
        eprintln!("There are no heads yet. To add one: selo head add NAME --to HOST:PORT");
        return Ok(ExitCode::SUCCESS);
    }
    let table = table_of(&all.heads, of);
    println!("{}", table.to_terminal(TerminalStyle::detect()));
    match running {
        None => eprintln!("No gateway runs on this state directory, so no head is connected."),
        Some(running) if running.listen.is_none() => {
            eprintln!("The gateway takes no heads: start it with --heads ADDR:PORT.");
        }
        Some(_) => {}
    }
    Ok(ExitCode::SUCCESS)
}

fn count(number: u64) -> Cell {
    Cell::number(number.to_string(), number as f64)
}

fn state_of(connection: Option<&HeadStatus>) -> String {
    match connection.map(|connection| connection.seconds) {
        None => "not connected".into(),
        Some(seconds @ 0..120) => format!("connected for {seconds} s"),
        Some(seconds @ 120..7200) => format!("connected for {} min", seconds / 60),
        Some(seconds) => format!("connected for {} h", seconds / 3600),
    }
}

/// What the running gateway says. `None` if none runs.
fn connected(state: &StateDir) -> selo_base::report::Result<Option<HeadsStatus>> {
    let mut client = match Client::connect(state) {
        Ok(client) => client,
        Err(Error::NotRunning { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    match client.ask(&Request::Heads) {
        Ok(Reply::Heads(heads)) => Ok(Some(heads)),
        Ok(_) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub fn remove(args: &RemoveArgs) -> selo_base::report::Result<ExitCode> {
    Store::new(&args.state.open()?).remove(&args.name)?;
    println!(
        "head '{}' is removed; nobody can connect with its file any more",
        args.name
    );
    Ok(ExitCode::SUCCESS)
}
