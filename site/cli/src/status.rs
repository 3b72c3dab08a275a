//! `selo status`: the parts of a site, on this machine and on others, and what is wrong with them. It
//! asks them and changes nothing.

mod gateway;
mod part;
mod readings;
mod shared;
mod stream;

use std::process::ExitCode;
use std::time::Duration;

use selo_base::report::{Result, exit};
use selo_collector::db::Location;

use crate::collect::Database;
use crate::gateway::State;
use part::{Level, Part};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
It looks at the gateway of the state directory, and at what the options name: a registry or a
database in PostgreSQL with its standbys, engines, shards and collectors, and a stream with its
replicas. It exits with 1 if a part is at fault, and says what to do.

Examples:
  selo status                                     the gateway and collector of this machine
  selo status --registry postgresql://selo@db/selo \\
      --database postgres://selo@db/readings --stream tls://onlooker@nats-1,tls://nats-2
  selo status --json | jq -r 'select(.state != \"ok\") | .problem'")]
pub struct Args {
    #[command(flatten)]
    state: State,
    #[command(flatten)]
    database: Database,
    #[command(flatten)]
    stream: crate::stream::Stream,
    /// Name of the site, as in `selo gateway --site`
    #[arg(long, value_name = "NAME", default_value = selo_mqtt::topic::DEFAULT_SITE)]
    site: String,
    /// Warn if the newest reading is older than this
    #[arg(long, value_name = "TIME", default_value = "1h")]
    stale: humantime::Duration,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let parts = parts(args)?;
    if args.json {
        for part in &parts {
            println!("{}", part.to_json());
        }
    } else if !parts.is_empty() {
        part::print(&parts);
    }
    if parts.is_empty() {
        eprintln!("There is nothing to look at here: name a part (selo status --help).");
        return Ok(ExitCode::from(exit::MISSING));
    }
    Ok(match parts.iter().any(|part| part.level == Level::Fault) {
        true => ExitCode::from(exit::FAILED),
        false => ExitCode::SUCCESS,
    })
}

fn parts(args: &Args) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    let state = args.state.path()?;
    // Only a gateway has a journal. The state directory of a collector, and a machine from which
    // somebody looks at others, have none.
    if state.join("journal").is_dir() {
        parts.extend(gateway::parts(&args.state, &state.display().to_string()));
    }
    if let Some(url) = args.state.registry() {
        parts.extend(shared::registry(url));
    }
    if let Some(config) = args
        .stream
        .config(&args.site, stream::client_id(&args.site))?
    {
        config.check()?;
        parts.extend(stream::parts(&config));
    }
    let stale = Duration::from(args.stale);
    match args.database.place() {
        Some(Location::Postgres(url)) => {
            // Both in one server: its standbys are listed once.
            let server = args.state.registry() != Some(&url);
            parts.extend(readings::in_postgres(&url, stale, server));
        }
        Some(Location::Sqlite(path)) => parts.push(readings::in_file(&path, stale)),
        None => {
            let path = state.join("collector/readings.db");
            if path.is_file() {
                parts.push(readings::in_file(&path, stale));
            }
        }
    }
    Ok(parts)
}
