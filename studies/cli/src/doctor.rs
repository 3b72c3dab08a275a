//! `selo-lab doctor`: lists what the laboratory lacks on this machine, and the commands that
//! install it.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use rustix::fs::Access;
use selo_engine::board::Board;
use selo_engine::project::Project;
use selo_engine::runner::sims;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print one JSON object per line instead of a table
    #[arg(long)]
    json: bool,
}

/// A program or file that Selo uses.
struct Need {
    name: String,
    why: String,
    found: Option<String>,
    /// The command that installs it.
    install: String,
    /// Whether only some commands need it.
    optional: bool,
}

pub fn run(args: &Args, project: Option<&Path>) -> selo_base::report::Result<ExitCode> {
    let mut needs = match project {
        Some(root) => of_project(root),
        None => vec![Need {
            name: "project".into(),
            why: "boards, libraries and algorithms".into(),
            found: None,
            install: "change into the project's folder, or pass --project DIR".into(),
            optional: false,
        }],
    };
    needs.push(program(
        "git",
        "the commit on every row",
        &apt(&["git"]),
        true,
    ));
    needs.push(program(
        "chromium",
        "`selo lab report --open`, or any browser",
        &apt(&["chromium"]),
        true,
    ));
    for need in &needs {
        print(need, args.json);
    }
    let missing = needs
        .iter()
        .filter(|need| need.found.is_none() && !need.optional)
        .count();
    if missing == 0 {
        eprintln!("everything that is needed is installed");
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("{missing} missing; `make setup` installs everything");
    Ok(ExitCode::from(3))
}

/// The needs of the laboratory in a project's folder.
fn of_project(root: &Path) -> Vec<Need> {
    let loaded = Project::load(root);
    let mut needs = vec![Need {
        name: "project".into(),
        why: "boards, libraries and algorithms".into(),
        found: loaded.as_ref().ok().map(|_| root.display().to_string()),
        install: loaded
            .as_ref()
            .err()
            .map(ToString::to_string)
            .unwrap_or_default(),
        optional: false,
    }];
    if let Ok(project) = &loaded {
        let here = project.boards.iter().filter(|board| board.is_here());
        needs.extend(here.flat_map(of_board));
    }
    needs.push(file(
        &sims::program(root, "selo-qemu.so"),
        "qemu plugin",
        "counts instructions of emulated boards",
        "make build",
    ));
    if let Ok(project) = &loaded {
        needs.extend(cables(project));
    }
    let runner = sims::program(root, "selo-simavr");
    needs.push(Need {
        name: "simavr runner".into(),
        ..program(
            &runner.to_string_lossy(),
            "simulates AVR boards, cycle-exact",
            "make build",
            false,
        )
    });
    needs.push(program(
        "node",
        "the second AVR simulator",
        &apt(&["nodejs", "npm"]),
        true,
    ));
    needs.push(file(
        &root.join("lab/sims/avr8js/node_modules/avr8js"),
        "avr8js",
        "the second AVR simulator",
        "make build",
    ));
    needs
}

/// The compiler of a board, and the emulator that runs its images.
fn of_board(board: &Board) -> Vec<Need> {
    let packages: Vec<&str> = board.toolchain.debian.iter().map(String::as_str).collect();
    let why = format!("images for {}", board.title);
    let mut compiler = program(&board.toolchain.cc, &why, &apt(&packages), false);
    if compiler.found.is_some() && !board.toolchain.has_headers() {
        compiler.found = None;
        compiler.why = format!("{why}: the compiler is installed, but its C library is not");
    }
    let emulator = board.qemu.as_ref().map(|qemu| {
        let packages: Vec<&str> = qemu.debian.iter().map(String::as_str).collect();
        let why = format!("runs images for {}", board.title);
        program(&qemu.program, &why, &apt(&packages), false)
    });
    [compiler].into_iter().chain(emulator).collect()
}

/// Prints a need as one line of JSON, or as a line of the table with the command that installs it.
fn print(need: &Need, json: bool) {
    if json {
        println!(
            "{}",
            serde_json::json!({
                "name": need.name, "why": need.why, "found": need.found,
                "install": need.found.is_none().then_some(&need.install),
                "optional": need.optional,
            })
        );
        return;
    }
    match &need.found {
        Some(what) => println!("ok       {:<16} {what}", need.name),
        None => {
            let word = if need.optional { "absent " } else { "MISSING" };
            println!("{word}  {:<16} needed for: {}", need.name, need.why);
            println!("         {:<16} install: {}", "", need.install);
        }
    }
}

/// The tools that flash real boards, and whether this user may open the serial ports.
fn cables(project: &Project) -> Vec<Need> {
    let mut needs: Vec<Need> = Vec::new();
    for board in &project.boards {
        let Some(serial) = &board.serial else {
            continue;
        };
        let packages: Vec<&str> = serial.debian.iter().map(String::as_str).collect();
        let program = serial.flash.first().map_or("", String::as_str);
        let mut needed = Need {
            name: program.into(),
            why: format!("flashing a real {}", board.title),
            found: on_path(program),
            install: apt(&packages),
            optional: true,
        };
        if !serial.install.is_empty() {
            needed.install.clone_from(&serial.install);
        } else if packages.is_empty() {
            needed.install = "no Debian package; see the board's file".into();
        }
        if !needs.iter().any(|known| known.name == program) {
            needs.push(needed);
        }
    }
    for port in selo_engine::runner::port::all() {
        // Check the permissions only: opening the port would reset the board.
        let both = Access::READ_OK | Access::WRITE_OK;
        let denied = rustix::fs::access(&port.path, both).is_err();
        needs.push(Need {
            name: port.path.display().to_string(),
            why: "boards on a serial cable; this user has no permission to open it".into(),
            found: (!denied).then(|| port.product.or(port.usb).unwrap_or_default()),
            install: "sudo usermod -aG dialout $USER, then log in again".into(),
            optional: true,
        });
    }
    needs
}

/// The path of a program that may not know `--version`.
fn on_path(name: &str) -> Option<String> {
    let folders = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&folders).map(|folder| folder.join(name));
    let mut found = found.filter(|path| path.is_file());
    found.next().map(|path| path.display().to_string())
}

fn apt(packages: &[&str]) -> String {
    format!("sudo apt-get install {}", packages.join(" "))
}

/// A program on PATH. Its version output proves that it runs.
fn program(name: &str, why: &str, install: &str, optional: bool) -> Need {
    let output = Command::new(name)
        .arg("--version")
        .stdin(Stdio::null())
        .output();
    let found = output
        .ok()
        .filter(|output| output.status.success())
        .map(|output| {
            String::from_utf8_lossy(&output.stdout)
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned()
        });
    Need {
        name: name.into(),
        why: why.into(),
        found,
        install: install.into(),
        optional,
    }
}

fn file(path: &Path, name: &str, why: &str, install: &str) -> Need {
    Need {
        name: name.into(),
        why: why.into(),
        found: path.exists().then(|| path.display().to_string()),
        install: install.into(),
        optional: false,
    }
}
