//! `selo attack`: what the link withstands, shown.

use std::process::ExitCode;

use selo_attack::case::{Against, Attack, Outcome, Verdict};
use selo_attack::run::{CASES, Case, Targets};
use selo_link::Suite;
use selo_report::format;
use selo_report::table::{Cell, Column, Table, TerminalStyle, Tone};

use crate::status::StatusLine;

/// Attack the link on this machine, and see what it withstands
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A gateway and a node (the C library's) are started in this process, on loopback, with an
attacker between them who reads, drops, alters, repeats and invents packets. Nothing else is
touched: there is no way to name another target.

against
  classic   Algorithm 2 of albarello2020 as printed: it promises nothing against whoever can
            send packets, and is broken
  pair      six digits that a person compares
  join      a session from the device key, and its sealed packets

attacks
  mitm       own keys in the place of both        replay   what was recorded, again
  forge      altered and invented packets         reflect  packets back to who sent them
  downgrade  something weaker than was agreed     flood    make the gateway compute
  guess      digits and tags

Examples:
  selo attack                                every attack, and what docs/protocol.md promises
  selo attack --against classic              read and alter a message that classic encrypts
  selo attack --against join --attack flood,guess --verbose
  selo attack --suite all --json

Exit codes: 0 node and gateway behaved as docs/protocol.md promises (classic is broken, the
rest refuses), 1 they did not.")]
pub struct Args {
    /// What to attack
    #[arg(long, value_enum, value_delimiter = ',', default_value = "all")]
    against: Vec<AgainstArg>,
    /// What to try
    #[arg(long, value_enum, value_delimiter = ',', default_value = "all")]
    attack: Vec<AttackArg>,
    /// Suite of node and gateway
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "chachapoly-blake2s"
    )]
    suite: Vec<SuiteArg>,
    /// One JSON object a line on stdout, nothing else
    #[arg(long)]
    json: bool,
    /// All figures behind each outcome
    #[arg(long, short)]
    verbose: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum AgainstArg {
    Classic,
    Pair,
    Join,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum AttackArg {
    Mitm,
    Replay,
    Forge,
    Reflect,
    Downgrade,
    Flood,
    Guess,
    All,
}

/// A suite on the command line, or all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum SuiteArg {
    #[value(name = "aesgcm-sha3-256")]
    AesGcmSha3,
    #[value(name = "chachapoly-blake2s")]
    ChaChaPolyBlake2s,
    #[value(name = "aesgcm-sha256")]
    AesGcmSha256,
    Ascon,
    All,
}

impl SuiteArg {
    /// The suites that are meant, each once, in the order of their codes.
    pub fn suites(chosen: &[SuiteArg]) -> Vec<Suite> {
        let is_chosen = |suite: &Suite| {
            chosen.iter().any(|arg| match arg {
                SuiteArg::AesGcmSha3 => *suite == Suite::AesGcmSha3,
                SuiteArg::ChaChaPolyBlake2s => *suite == Suite::ChaChaPolyBlake2s,
                SuiteArg::AesGcmSha256 => *suite == Suite::AesGcmSha256,
                SuiteArg::Ascon => *suite == Suite::Ascon,
                SuiteArg::All => true,
            })
        };
        Suite::ALL.into_iter().filter(is_chosen).collect()
    }
}

impl Args {
    fn wants(&self, case: &Case) -> bool {
        let against = self.against.iter().any(|arg| match arg {
            AgainstArg::Classic => case.against == Against::Classic,
            AgainstArg::Pair => case.against == Against::Pair,
            AgainstArg::Join => case.against == Against::Join,
            AgainstArg::All => true,
        });
        let attack = self.attack.iter().any(|arg| match arg {
            AttackArg::Mitm => case.attack == Attack::Mitm,
            AttackArg::Replay => case.attack == Attack::Replay,
            AttackArg::Forge => case.attack == Attack::Forge,
            AttackArg::Reflect => case.attack == Attack::Reflect,
            AttackArg::Downgrade => case.attack == Attack::Downgrade,
            AttackArg::Flood => case.attack == Attack::Flood,
            AttackArg::Guess => case.attack == Attack::Guess,
            AttackArg::All => true,
        });
        against && attack
    }
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let suites = SuiteArg::suites(&args.suite);
    let cases: Vec<&Case> = CASES.iter().filter(|case| args.wants(case)).collect();
    if cases.is_empty() {
        return Err(selo_lab::Error::NothingSelected {
            what: "that attack is not one against that; `selo attack --help` lists both".into(),
        }
        .into());
    }
    let mut targets = Targets::default();
    let mut outcomes = Vec::new();
    let status = StatusLine::new();
    for case in cases {
        let suites = if case.has_suites() {
            &suites[..]
        } else {
            &suites[..1]
        };
        for suite in suites {
            selo_lab::schedule::check_interrupt()?;
            status.say(&format!("{} against {}", case.attack, case.against));
            let outcome = case.run(&mut targets, *suite)?;
            if args.json {
                let mut line = serde_json::json!(outcome);
                line["schema"] = "selo.attack/1".into();
                status.aside(|| println!("{line}"));
            }
            outcomes.push(outcome);
        }
    }
    targets.stop()?;
    drop(status);
    if !args.json {
        print!(
            "{}",
            table(&outcomes, args.verbose).to_terminal(TerminalStyle::detect())
        );
    }
    let surprises = outcomes.iter().filter(|o| !o.is_as_promised()).count();
    if surprises == 0 {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!(
        "selo: {} did not end as docs/protocol.md promises",
        format::things(surprises, "attack", "attacks")
    );
    Ok(ExitCode::from(1))
}

fn table(outcomes: &[Outcome], verbose: bool) -> Table {
    let mut table = Table::new(
        "",
        vec![
            Column::text("Against"),
            Column::text("Attack"),
            Column::text("Suite"),
            Column::text("What the attacker did"),
            Column::text("Outcome"),
        ],
    );
    let several = outcomes.windows(2).any(|pair| {
        pair[0].suite.is_some() && pair[1].suite.is_some() && pair[0].suite != pair[1].suite
    });
    for outcome in outcomes {
        let mut shows = outcome.shows.clone();
        if verbose {
            let figures = outcome.evidence.iter();
            let figures: Vec<String> = figures
                .map(|figure| format!("{} {}", figure.what, format::count(figure.value)))
                .collect();
            shows = format!("{shows} [{}]", figures.join("; "));
        }
        table.push(vec![
            Cell::text(outcome.against.name()),
            Cell::text(outcome.attack.name()),
            match outcome.suite {
                Some(suite) if several => Cell::text(suite.name()),
                _ => Cell::none(),
            },
            Cell::text(outcome.did.clone()),
            verdict(outcome).with_note(shows),
        ]);
    }
    for against in Against::ALL {
        let of: Vec<&Outcome> = outcomes.iter().filter(|o| o.against == against).collect();
        let broken = of.iter().filter(|o| o.verdict == Verdict::Broken).count();
        if !of.is_empty() {
            table.remarks.push(format!(
                "{}: broken by {broken} of {}.",
                against.name(),
                format::things(of.len(), "attack", "attacks")
            ));
        }
    }
    table.without_empty_columns()
}

fn verdict(outcome: &Outcome) -> Cell {
    let (word, tone) = match (outcome.verdict, outcome.is_as_promised()) {
        (Verdict::Broken, true) => ("BROKEN", Tone::Warn),
        (Verdict::Broken, false) => ("BROKEN (!)", Tone::Bad),
        (Verdict::Refused, true) => ("refused", Tone::Good),
        (Verdict::Refused, false) => ("refused (!)", Tone::Bad),
    };
    Cell::label(word, tone)
}
