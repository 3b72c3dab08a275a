//! `selo attack`: attacks the link and the services, and reports the outcomes.

use std::process::ExitCode;

use selo_attack::case::{Against, Attack, Figure, LinkOutcome, LinkVerdict};
use selo_attack::run::{CASES, Case, Targets};
use selo_attack::service::{self, Service};
use selo_link::Suite;
use selo_report::format;
use selo_report::table::{Cell, Column, Table, TerminalStyle, Tone};

use selo_command::status::StatusLine;

/// Attack the link and the services on this machine, and report what they withstand
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The link: a gateway and a node (of the C library) run in this process, on loopback. An attacker
between them reads, drops, alters, repeats and forges packets.

The services: `selo broker`, `selo collect`, `selo gateway` and `selo up` are started on free
ports of loopback, with their state in a temporary folder. Hostile clients attack them while
honest users work. A case holds if every honest user is served, and the program stays within
the limits of its unit file.

Nothing else is attacked: you cannot select another target.

against
  classic   Algorithm 2 of albarello2020 as printed: it gives no protection against an active
            attacker, and is broken
  pair      six digits that a person compares
  hybrid    the same, with a secret by ML-KEM besides
  join      a session from the device key, and its sealed packets
  broker, collector, gateway, site (`selo up`)
  link      classic, pair, hybrid and join    services   the other four

attacks on the link (--list names those on the services, too)
  mitm       own keys in place of both keys       replay   recorded packets, sent again
  forge      altered and forged packets           reflect  packets back to their sender
  downgrade  something weaker than agreed         flood    make the gateway compute
  guess      digits and tags

Examples:
  selo attack                                everything: link and services, some minutes
  selo attack --against link                 the promises of docs/protocol.md, some seconds
  selo attack --against services --quick     without the slowest cases
  selo attack --against broker --attack idle-handshake --verbose
  selo attack --suite all --against join --json

Exit codes: 0 everything held (classic is broken, as docs/protocol.md says), 1 something did
not hold. A case that cannot run on this machine says so and does not count.")]
pub struct Args {
    /// Target of the attacks
    #[arg(long, value_enum, value_delimiter = ',', default_value = "all")]
    against: Vec<AgainstArg>,
    /// Attacks to run: names from --list, or all
    #[arg(long, value_delimiter = ',', default_value = ALL, value_name = "NAME")]
    attack: Vec<String>,
    /// Suite of node and gateway
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "chachapoly-blake2s"
    )]
    suite: Vec<SuiteArg>,
    /// Print one JSON object per line on stdout, nothing else
    #[arg(long)]
    json: bool,
    /// List the attacks and exit
    #[arg(long)]
    list: bool,
    /// Leave out the slowest attacks on services
    #[arg(long)]
    quick: bool,
    /// Show all figures behind each outcome
    #[arg(long, short)]
    verbose: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum AgainstArg {
    Classic,
    Pair,
    Hybrid,
    Join,
    Link,
    Broker,
    Collector,
    Gateway,
    Site,
    Services,
    All,
}

/// Every attack.
const ALL: &str = "all";

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
    /// The chosen suites, without duplicates, in the order of their codes.
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
    fn names(&self, name: &str) -> bool {
        self.attack
            .iter()
            .any(|wanted| wanted == ALL || wanted == name)
    }

    fn wants(&self, case: &Case) -> bool {
        let against = self.against.iter().any(|arg| match arg {
            AgainstArg::Classic => case.against == Against::Classic,
            AgainstArg::Pair => case.against == Against::Pair,
            AgainstArg::Hybrid => case.against == Against::Hybrid,
            AgainstArg::Join => case.against == Against::Join,
            AgainstArg::Link | AgainstArg::All => true,
            _ => false,
        });
        against && self.names(case.attack.name())
    }

    fn wants_service(&self, case: &service::Case) -> bool {
        let against = self.against.iter().any(|arg| match arg {
            AgainstArg::Broker => case.against == Service::Broker,
            AgainstArg::Collector => case.against == Service::Collector,
            AgainstArg::Gateway => case.against == Service::Gateway,
            AgainstArg::Site => case.against == Service::Site,
            AgainstArg::Services | AgainstArg::All => true,
            _ => false,
        });
        against && self.names(case.name) && (case.quick || !self.quick)
    }
}

/// Returns an error if a name is not that of an attack.
fn check_names(args: &Args) -> selo_base::report::Result<()> {
    let is_known = |name: &String| {
        name == ALL
            || Attack::ALL.iter().any(|attack| attack.name() == name)
            || service::cases().any(|case| case.name == name)
    };
    match args.attack.iter().find(|name| !is_known(name)) {
        None => Ok(()),
        Some(name) => Err(selo_engine::Error::NothingSelected {
            what: format!("'{name}' is not an attack; `selo attack --list` shows all attacks"),
        }
        .into()),
    }
}

pub fn run(args: &Args) -> selo_base::report::Result<ExitCode> {
    check_names(args)?;
    let cases: Vec<&Case> = CASES.iter().filter(|case| args.wants(case)).collect();
    let services: Vec<&service::Case> = service::cases()
        .filter(|case| args.wants_service(case))
        .collect();
    if cases.is_empty() && services.is_empty() {
        return Err(selo_engine::Error::NothingSelected {
            what: "this target has no such attack; `selo attack --list` shows targets and attacks"
                .into(),
        }
        .into());
    }
    if args.list {
        for case in &cases {
            println!("{}\t{}", case.against, case.attack);
        }
        for case in &services {
            println!("{}\t{}\t{}", case.against, case.name, case.did);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let outcomes = attack_link(args, &cases)?;
    let served = attack_services(args, &services)?;
    if !args.json {
        let style = TerminalStyle::detect();
        print!(
            "{}",
            table(&outcomes, &served, args.verbose).to_terminal(style)
        );
    }
    let surprises = outcomes.iter().filter(|o| !o.is_as_promised()).count();
    let broken = served
        .iter()
        .filter(|o| o.verdict == service::ServiceVerdict::Broken)
        .count();
    if surprises > 0 {
        eprintln!(
            "selo: {} did not end as promised in docs/protocol.md",
            format::things(surprises, "attack", "attacks")
        );
    }
    if broken > 0 {
        eprintln!(
            "selo: the services did not withstand {}",
            format::things(broken, "attack", "attacks")
        );
    }
    Ok(ExitCode::from(u8::from(surprises + broken > 0)))
}

/// Attacks the link within this process.
fn attack_link(args: &Args, cases: &[&Case]) -> selo_base::report::Result<Vec<LinkOutcome>> {
    let suites = SuiteArg::suites(&args.suite);
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
            selo_engine::schedule::check_interrupt()?;
            status.say(&format!("{} against {}", case.attack, case.against));
            let outcome = case.run(&mut targets, *suite)?;
            if args.json {
                print_json(&status, serde_json::json!(outcome));
            }
            outcomes.push(outcome);
        }
    }
    targets.stop()?;
    Ok(outcomes)
}

/// Attacks the services: starts the command `selo` again for each case.
fn attack_services(
    args: &Args,
    cases: &[&service::Case],
) -> selo_base::report::Result<Vec<service::ServiceOutcome>> {
    let selo = selo_command::external::require("selo")?;
    let mut outcomes = Vec::new();
    let status = StatusLine::new();
    for (number, case) in cases.iter().enumerate() {
        selo_engine::schedule::check_interrupt()?;
        let of = cases.len();
        status.say(&format!(
            "{} of {of}: {} against {}",
            number + 1,
            case.name,
            case.against
        ));
        let outcome = case.run(&selo);
        if args.json {
            print_json(&status, serde_json::json!(outcome));
        }
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

fn print_json(status: &StatusLine, mut line: serde_json::Value) {
    line["schema"] = "selo.attack/1".into();
    status.aside(|| println!("{line}"));
}

fn table(outcomes: &[LinkOutcome], served: &[service::ServiceOutcome], verbose: bool) -> Table {
    let mut table = Table::new(
        "",
        vec![
            Column::text("Against"),
            Column::text("Attack"),
            Column::text("Suite"),
            Column::text("Action"),
            Column::text("Outcome"),
        ],
    );
    let several = outcomes.windows(2).any(|pair| {
        pair[0].suite.is_some() && pair[1].suite.is_some() && pair[0].suite != pair[1].suite
    });
    for outcome in outcomes {
        let mut shows = outcome.shows.clone();
        if verbose {
            shows = with_figures(&shows, &outcome.evidence);
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
    for outcome in served {
        let shows = if verbose {
            with_figures(&outcome.shows, &outcome.evidence)
        } else {
            outcome.shows.clone()
        };
        table.push(vec![
            Cell::text(outcome.against.name()),
            Cell::text(outcome.attack),
            Cell::none(),
            Cell::text(outcome.did),
            service_verdict(outcome).with_note(shows),
        ]);
    }
    table.remarks = remarks(outcomes, served);
    table.without_empty_columns()
}

/// A sentence for each target: how many attacks broke it, or how many a service withstood.
fn remarks(outcomes: &[LinkOutcome], served: &[service::ServiceOutcome]) -> Vec<String> {
    let attacks = |count: usize| format::things(count, "attack", "attacks");
    let mut remarks = Vec::new();
    for against in Against::ALL {
        let of = || outcomes.iter().filter(|o| o.against == against);
        let broken = of().filter(|o| o.verdict == LinkVerdict::Broken).count();
        if of().next().is_some() {
            remarks.push(format!(
                "{}: broken by {broken} of {}.",
                against.name(),
                attacks(of().count())
            ));
        }
    }
    for against in Service::ALL {
        let of = || served.iter().filter(|o| o.against == against);
        let held = of()
            .filter(|o| o.verdict == service::ServiceVerdict::Held)
            .count();
        if of().next().is_some() {
            remarks.push(format!(
                "{}: held against {held} of {}.",
                against.name(),
                attacks(of().count())
            ));
        }
    }
    remarks
}

fn with_figures(shows: &str, evidence: &[Figure]) -> String {
    let figures: Vec<String> = (evidence.iter())
        .map(|figure| format!("{} {}", figure.what, format::count(figure.value)))
        .collect();
    format!("{shows} [{}]", figures.join("; "))
}

fn service_verdict(outcome: &service::ServiceOutcome) -> Cell {
    let (word, tone) = match outcome.verdict {
        service::ServiceVerdict::Held => ("held", Tone::Good),
        service::ServiceVerdict::Broken => ("BROKEN (!)", Tone::Bad),
        service::ServiceVerdict::NotRun => ("not run", Tone::Warn),
    };
    Cell::label(word, tone)
}

fn verdict(outcome: &LinkOutcome) -> Cell {
    let (word, tone) = match (outcome.verdict, outcome.is_as_promised()) {
        (LinkVerdict::Broken, true) => ("BROKEN", Tone::Warn),
        (LinkVerdict::Broken, false) => ("BROKEN (!)", Tone::Bad),
        (LinkVerdict::Refused, true) => ("refused", Tone::Good),
        (LinkVerdict::Refused, false) => ("refused (!)", Tone::Bad),
    };
    Cell::label(word, tone)
}
