//! `selo doctor`: lists what a site needs and this machine lacks, with commands that install it.

use std::path::Path;
use std::process::ExitCode;

use rustix::fs::Access;
use selo_base::report::{Result, exit};
use selo_command::external;
use selo_gateway::state::StateDir;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print one JSON object per line instead of a table
    #[arg(long)]
    json: bool,
}

/// A program, directory or port that `selo` uses.
struct Need {
    name: String,
    /// The commands or data that need it.
    why: &'static str,
    /// Its path or state; `None` if it is missing.
    found: Option<String>,
    /// The command or action that provides it.
    install: String,
    /// True if only some commands need it.
    optional: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let mut needs = vec![state()];
    needs.extend(serial_ports());
    needs.push(Need {
        name: "selo-lab".into(),
        why: "lab, exchange, attack, bench, node, radio, demo",
        found: external::find("selo-lab").map(|path| path.display().to_string()),
        install: "make build-lab install-lab, in the project's folder".into(),
        optional: true,
    });
    for need in &needs {
        if args.json {
            println!("{}", need.json());
        } else {
            need.print();
        }
    }
    let missing = needs
        .iter()
        .filter(|need| need.found.is_none() && !need.optional)
        .count();
    if missing == 0 {
        eprintln!("nothing required is missing");
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("{missing} missing");
    Ok(ExitCode::from(exit::MISSING))
}

impl Need {
    fn json(&self) -> serde_json::Value {
        serde_json::json!({
            "name": self.name, "why": self.why, "found": self.found,
            "install": self.found.is_none().then_some(&self.install),
            "optional": self.optional,
        })
    }

    fn print(&self) {
        if let Some(what) = &self.found {
            println!("ok       {:<16} {what}", self.name);
            return;
        }
        let word = if self.optional { "absent " } else { "MISSING" };
        println!("{word}  {:<16} needed for: {}", self.name, self.why);
        println!("         {:<16} install: {}", "", self.install);
    }
}

/// The state directory must be writable, or its nearest existing parent must be.
fn state() -> Need {
    let path = StateDir::default_path().ok();
    let writable = |path: &Path| rustix::fs::access(path, Access::WRITE_OK).is_ok();
    let found = path.as_deref().filter(|path| {
        let mut nearest = path.ancestors();
        nearest.find(|folder| folder.exists()).is_some_and(writable)
    });
    Need {
        name: "state directory".into(),
        why: "keys, sessions, journal",
        found: found.map(|path| path.display().to_string()),
        install: "pass --state DIR with a directory that this user may write to".into(),
        optional: false,
    }
}

/// Serial ports that may have a radio module. They are not opened, which would reset some modules.
fn serial_ports() -> Vec<Need> {
    let Ok(folder) = std::fs::read_dir("/dev/serial/by-id") else {
        return Vec::new();
    };
    folder
        .flatten()
        .map(|entry| {
            let path = entry.path();
            let allowed = rustix::fs::access(&path, Access::READ_OK | Access::WRITE_OK).is_ok();
            Need {
                name: path.display().to_string(),
                why: "a radio module on a cable; this user may not open the port",
                found: allowed.then(|| "this user may open it".into()),
                install: "sudo usermod -aG dialout $USER, then log in again".into(),
                optional: true,
            }
        })
        .collect()
}
