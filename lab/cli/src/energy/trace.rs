//! Energy of a measured trace.

use std::ops::Range;
use std::path::Path;

use selo_base::report::Context as _;
use selo_base::units::Dimension;
use selo_engine::energy::{
    Idle, TraceEnergy, TraceError, TraceSetup, integrate, integrate_each, parse_trace_with,
};
use selo_report::format;

use super::args::{Args, Refusal, optional, quantity};
use crate::rows;

/// Prints the energy of a trace.
pub fn integrated(args: &Args, path: &Path) -> Result<(), Refusal> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let refuse = |error: TraceError| Refusal::Usage(format!("{}: {error}", path.display()));
    let positive = |value: f64| value > 0.0 && value.is_finite();
    if args.shunt.is_some_and(|ohms| !positive(ohms)) {
        return Err(Refusal::Usage(
            "--shunt: give a positive resistance in ohms".into(),
        ));
    }
    let setup = TraceSetup {
        supply_volts: optional(
            "--supply-volts",
            &args.supply_volts,
            Dimension::Voltage,
            "V",
        )?,
        shunt_ohms: args.shunt,
        trigger: args.trigger.clone(),
    };
    let parsed = parse_trace_with(&text, &setup).map_err(refuse)?;
    let samples = parsed.samples;
    let time = |option, text: &Option<String>| optional(option, text, Dimension::Time, "s");
    let (from, to) = (time("--from", &args.from)?, time("--to", &args.to)?);
    let ends = samples
        .first()
        .zip(samples.last())
        .map(|(a, b)| (a.seconds, b.seconds));
    let (first, last) = ends.unwrap_or_default();
    let stretch = from.unwrap_or(first)..to.unwrap_or(last);
    let idle = match (&args.idle, &args.idle_power) {
        (Some(range), _) => Idle::Between(time_range(range)?),
        (None, Some(power)) => {
            Idle::Watts(quantity("--idle-power", power, Dimension::Power, "mW")?)
        }
        (None, None) => Idle::None,
    };
    let energy = match parsed.high.as_slice() {
        [] => integrate(&samples, Some(stretch), &idle),
        high => integrate_each(&samples, high, &idle),
    };
    let energy = energy.map_err(refuse)?;
    if args.json {
        rows::print_lines([&energy])?;
    } else {
        rows::print(&trace_text(&energy, &idle))?;
    }
    Ok(())
}

fn time_range(text: &str) -> Result<Range<f64>, Refusal> {
    let (from, to) = text.split_once("..").ok_or_else(|| {
        Refusal::Usage(format!("--idle: '{text}' is not FROM..TO, such as 0..5ms"))
    })?;
    Ok(quantity("--idle", from, Dimension::Time, "s")?
        ..quantity("--idle", to, Dimension::Time, "s")?)
}

fn trace_text(energy: &TraceEnergy, idle: &Idle) -> String {
    let above = match idle {
        Idle::None => "no rest power subtracted".to_owned(),
        _ => format!(
            "{} mW at rest subtracted",
            format::significant(energy.idle_watts * 1e3, 4)
        ),
    };
    format!(
        "energy    {} J = {} nWh ({above}){}\nduration  {} s, {}\ntotal     {} J including rest power\n",
        format::significant(energy.joules, 4),
        format::significant(energy.nanowatt_hours, 4),
        match energy.stretches {
            1 => String::new(),
            count => format!(", mean of {count}"),
        },
        format::significant(energy.seconds, 4),
        format::things(energy.samples, "sample", "samples"),
        format::significant(energy.total_joules, 4),
    )
}
