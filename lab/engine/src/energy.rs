//! Energy: from power figures and a measured time, or from a measured trace.
//!
//! Both follow albarello2020: the integral of voltage times current over the operation, minus the
//! board's energy at rest in the same time.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use selo_base::units::{Dimension, NANOWATT_HOUR, Unit};

/// The current draw of a board and the source of the figures: a `[[power]]` entry of a board file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PowerProfile {
    /// The name on the command line.
    pub name: String,
    /// A data sheet and table, a paper, or a measurement.
    pub source: String,
    pub supply_volts: f64,
    /// Current while the core computes.
    pub active_milliamps: f64,
    /// Current while the core waits. It is subtracted from the active current.
    pub idle_milliamps: f64,
    /// Currents of a radio module, in addition to the board's.
    #[serde(default)]
    pub radio: Option<RadioCurrents>,
    /// Current with the oscillator stopped and the watchdog running, if known.
    #[serde(default)]
    pub power_down_milliamps: Option<f64>,
    /// A caution to show with the figures.
    #[serde(default)]
    pub note: Option<String>,
}

/// Currents of a radio module, at the profile's voltage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RadioCurrents {
    /// While a packet is on the air.
    pub transmit_milliamps: f64,
    /// While it listens, which is all other time.
    pub listen_milliamps: f64,
    /// Asleep, if the module can sleep and the figure is known.
    #[serde(default)]
    pub sleep_milliamps: Option<f64>,
}

impl PowerProfile {
    /// Power above idle while the core computes, in watts.
    pub fn watts_above_idle(&self) -> f64 {
        self.supply_volts * (self.active_milliamps - self.idle_milliamps) * 1e-3
    }

    /// Energy above idle of a computation of `seconds`, in joules.
    pub fn joules(&self, seconds: f64) -> f64 {
        self.watts_above_idle() * seconds
    }

    /// Power of a node at rest with its radio listening, in watts. `None` if the profile has no
    /// radio.
    pub fn resting_watts(&self) -> Option<f64> {
        let radio = self.radio?;
        Some(self.supply_volts * (self.idle_milliamps + radio.listen_milliamps) * 1e-3)
    }

    /// Energy of a packet above [`PowerProfile::resting_watts`], in joules: the core is awake for
    /// `awake` seconds and the radio transmits for `on_air` seconds. `None` if the profile has no
    /// radio.
    pub fn packet_joules(&self, awake: f64, on_air: f64) -> Option<f64> {
        let radio = self.radio?;
        let transmitting = radio.transmit_milliamps - radio.listen_milliamps;
        Some(self.joules(awake) + self.supply_volts * transmitting * 1e-3 * on_air)
    }
}

/// One sample of a trace, in seconds, volts and amperes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TraceSample {
    pub seconds: f64,
    pub volts: f64,
    pub amperes: f64,
}

impl TraceSample {
    fn watts(&self) -> f64 {
        self.volts * self.amperes
    }
}

/// The consumption at rest, which is subtracted.
#[derive(Clone, Debug, PartialEq)]
pub enum Idle {
    /// Nothing is subtracted.
    None,
    /// A known power, in watts.
    Watts(f64),
    /// The mean power of this stretch of the trace, in seconds.
    Between(Range<f64>),
}

/// The energy of a stretch of a trace. Energies above idle, unless named `total`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TraceEnergy {
    pub joules: f64,
    pub nanowatt_hours: f64,
    /// Energy with the idle consumption included.
    pub total_joules: f64,
    /// The subtracted power.
    pub idle_watts: f64,
    /// Length of the stretch, in seconds.
    pub seconds: f64,
    /// Samples within the stretch, without interpolated ends.
    pub samples: usize,
    /// Number of stretches. The other figures are means over them, except `samples`, which is a
    /// sum.
    pub stretches: usize,
}

/// Data that the trace file itself lacks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceSetup {
    /// The supply voltage, if no column has it.
    pub supply_volts: Option<f64>,
    /// Resistance of the shunt in ohms, if the column `shunt` or `ch1` has the voltage across a
    /// shunt.
    pub shunt_ohms: Option<f64>,
    /// The column of a pin that is high while the operation runs.
    pub trigger: Option<String>,
}

/// The samples of a trace, and the stretches during which its trigger was high.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    pub samples: Vec<TraceSample>,
    /// Each from the first high sample to the first low sample after it, in seconds. Empty without
    /// a trigger. Excludes stretches that the start or end of the trace cuts off.
    pub high: Vec<Range<f64>>,
}

/// The reason why a trace was refused. Lines count from 1, the header included.
#[derive(Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum TraceError {
    #[error("the trace is empty")]
    Empty,
    #[error("line {line}: no {column} column in the header; give one such as {example}")]
    MissingColumn {
        line: usize,
        column: &'static str,
        example: &'static str,
    },
    #[error("line {line}: no column '{column}' for the trigger; the columns are {known}")]
    NoTrigger {
        line: usize,
        column: String,
        known: String,
    },
    #[error("the trigger '{column}' never goes from low to high and back")]
    NeverHigh { column: String },
    #[error("line {line}: column '{column}': unknown unit '{unit}'")]
    BadUnit {
        line: usize,
        column: String,
        unit: String,
    },
    #[error("line {line}: '{text}' is not a number")]
    NotANumber { line: usize, text: String },
    #[error("line {line}: {found} fields, but the header has {expected}")]
    WrongFieldCount {
        line: usize,
        found: usize,
        expected: usize,
    },
    #[error("line {line}: time goes backwards from {before} s to {after} s")]
    TimeGoesBack {
        line: usize,
        before: f64,
        after: f64,
    },
    #[error("at least two samples are needed, but the trace has {0}")]
    TooFewSamples(usize),
    #[error("the trace runs from {first} s to {last} s; {from} s to {to} s is not within it")]
    OutsideTrace {
        first: f64,
        last: f64,
        from: f64,
        to: f64,
    },
    #[error("the interval from {from} s to {to} s is empty")]
    EmptyStretch { from: f64, to: f64 },
}

/// Reads the export of a meter or oscilloscope: a header, then one line for each sample, with
/// columns for time, voltage and current in any order.
///
/// The separator is the one in the header: semicolon, tab or comma. Units are in the header
/// (`i [mA]`, `current_mA`, `time (ms)`). Columns without units are in seconds, volts and amperes.
/// With semicolons or tabs, a comma in a number is a decimal comma. Empty lines and lines that
/// start with `#` are skipped.
pub fn parse_trace(text: &str) -> Result<Vec<TraceSample>, TraceError> {
    Ok(parse_trace_with(text, &TraceSetup::default())?.samples)
}

/// Does the same as [`parse_trace`], but `setup` may replace missing columns: a current without a
/// voltage, or the voltage of a shunt. Skips up to 30 lines before the header.
pub fn parse_trace_with(text: &str, setup: &TraceSetup) -> Result<Trace, TraceError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim_end()))
        .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let separator_of = |line: &str| [';', '\t'].into_iter().find(|s| line.contains(*s));
    let heads_of = |line: &str| -> Vec<String> {
        let heads = line.split(separator_of(line).unwrap_or(','));
        heads.map(|head| unquote(head).to_owned()).collect()
    };
    let is_header = |line: &str| {
        let heads = heads_of(line);
        Column::find(&heads, &TIME, 0).is_ok() && heads.len() > 1
    };
    let preamble = lines.clone().take(PREAMBLE);
    let skipped = preamble.take_while(|(_, line)| !is_header(line)).count();
    let found = lines
        .clone()
        .nth(skipped)
        .is_some_and(|(_, line)| is_header(line));
    let (header_line, header) = lines
        .nth(if found { skipped } else { 0 })
        .ok_or(TraceError::Empty)?;
    let separator = separator_of(header).unwrap_or(',');
    let mut heads = heads_of(header);
    let trigger = match &setup.trigger {
        Some(name) => {
            let index = heads.iter().position(|head| {
                let head = head.to_lowercase();
                let name = name.to_lowercase();
                head == name
                    || head
                        .strip_prefix(&name)
                        .is_some_and(|rest| rest.starts_with(['(', '[', ' ']))
            });
            let index = index.ok_or_else(|| TraceError::NoTrigger {
                line: header_line,
                column: name.clone(),
                known: heads.join(", "),
            })?;
            Some(Column { index, factor: 1.0 })
        }
        None => None,
    };
    // The trigger's column must not also count as voltage or shunt.
    if let Some(column) = &trigger {
        heads[column.index].clear();
    }
    let time = Column::find(&heads, &TIME, header_line)?;
    let shunt = match setup.shunt_ohms {
        Some(_) => Some(Column::find(&heads, &SHUNT, header_line)?),
        None => None,
    };
    let voltage = match Column::find(&heads, &VOLTAGE, header_line) {
        Err(TraceError::MissingColumn { .. }) if setup.supply_volts.is_some() => None,
        found => Some(found?),
    };
    let current = match shunt {
        Some(_) => None,
        None => Some(Column::find(&heads, &CURRENT, header_line)?),
    };
    let mut levels = Vec::new();

    let mut samples: Vec<TraceSample> = Vec::new();
    for (line, text) in lines {
        let fields: Vec<&str> = text.split(separator).map(unquote).collect();
        // Many exports end every line with a separator. Ignore it.
        let found =
            fields.len() - usize::from(fields.len() > heads.len() && fields.ends_with(&[""]));
        if found != heads.len() {
            return Err(TraceError::WrongFieldCount {
                line,
                found,
                expected: heads.len(),
            });
        }
        let read = |column: &Column| column.read(&fields, separator != ',', line);
        let across = match &shunt {
            Some(column) => read(column)?,
            None => 0.0,
        };
        let sample = TraceSample {
            seconds: read(&time)?,
            // The supply is measured before the shunt, so subtract the shunt's voltage.
            volts: match (&voltage, setup.supply_volts) {
                (Some(column), _) => read(column)?,
                (None, supply) => supply.unwrap_or(0.0) - across,
            },
            amperes: match (&current, setup.shunt_ohms) {
                (Some(column), _) => read(column)?,
                (None, ohms) => across / ohms.unwrap_or(1.0),
            },
        };
        if let Some(column) = &trigger {
            levels.push(read(column)?);
        }
        if let Some(last) = samples.last()
            && sample.seconds <= last.seconds
        {
            let (before, after) = (last.seconds, sample.seconds);
            return Err(TraceError::TimeGoesBack {
                line,
                before,
                after,
            });
        }
        samples.push(sample);
    }
    if samples.len() < 2 {
        return Err(TraceError::TooFewSamples(samples.len()));
    }
    let high = high_stretches(&samples, &levels);
    match &setup.trigger {
        Some(column) if high.is_empty() => Err(TraceError::NeverHigh {
            column: column.clone(),
        }),
        _ => Ok(Trace { samples, high }),
    }
}

/// The stretches during which the level is above the middle of its range.
fn high_stretches(samples: &[TraceSample], levels: &[f64]) -> Vec<Range<f64>> {
    let bounds = levels
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &level| {
            (low.min(level), high.max(level))
        });
    let middle = (bounds.0 + bounds.1) / 2.0;
    let (mut high, mut since) = (Vec::new(), None);
    let mut before = true;
    for (sample, &level) in samples.iter().zip(levels) {
        let now = level > middle;
        match (before, now) {
            (false, true) => since = Some(sample.seconds),
            (true, false) => high.extend(since.take().map(|since| since..sample.seconds)),
            _ => {}
        }
        before = now;
    }
    high
}

/// Integrates each stretch with [`integrate`] and returns the mean.
pub fn integrate_each(
    samples: &[TraceSample],
    stretches: &[Range<f64>],
    idle: &Idle,
) -> Result<TraceEnergy, TraceError> {
    let all: Vec<TraceEnergy> = stretches
        .iter()
        .map(|stretch| integrate(samples, Some(stretch.clone()), idle))
        .collect::<Result<_, _>>()?;
    let mean =
        |of: fn(&TraceEnergy) -> f64| all.iter().map(of).sum::<f64>() / all.len().max(1) as f64;
    let joules = mean(|one| one.joules);
    Ok(TraceEnergy {
        joules,
        nanowatt_hours: joules / NANOWATT_HOUR,
        total_joules: mean(|one| one.total_joules),
        idle_watts: mean(|one| one.idle_watts),
        seconds: mean(|one| one.seconds),
        samples: all.iter().map(|one| one.samples).sum(),
        stretches: all.len(),
    })
}

/// Integrates power over `stretch` (the whole trace if `None`) by the
/// trapezoidal rule on v*i and subtracts the idle consumption. Samples need
/// not be evenly spaced; the ends of a stretch are interpolated.
pub fn integrate(
    samples: &[TraceSample],
    stretch: Option<Range<f64>>,
    idle: &Idle,
) -> Result<TraceEnergy, TraceError> {
    let (Some(first), Some(last)) = (samples.first(), samples.last()) else {
        return Err(TraceError::Empty);
    };
    if samples.len() < 2 {
        return Err(TraceError::TooFewSamples(samples.len()));
    }
    let stretch = stretch.unwrap_or(first.seconds..last.seconds);
    let total_joules = joules_between(samples, &stretch)?;
    let seconds = stretch.end - stretch.start;
    let idle_watts = match idle {
        Idle::None => 0.0,
        Idle::Watts(watts) => *watts,
        Idle::Between(rest) => joules_between(samples, rest)? / (rest.end - rest.start),
    };
    let joules = total_joules - idle_watts * seconds;
    let inside = |s: &&TraceSample| s.seconds >= stretch.start && s.seconds <= stretch.end;
    Ok(TraceEnergy {
        joules,
        nanowatt_hours: joules / NANOWATT_HOUR,
        total_joules,
        idle_watts,
        seconds,
        samples: samples.iter().filter(inside).count(),
        stretches: 1,
    })
}

fn joules_between(samples: &[TraceSample], stretch: &Range<f64>) -> Result<f64, TraceError> {
    let (from, to) = (stretch.start, stretch.end);
    let (first, last) = match (samples.first(), samples.last()) {
        (Some(first), Some(last)) => (first.seconds, last.seconds),
        _ => return Err(TraceError::Empty),
    };
    if from.is_nan() || to.is_nan() || to <= from {
        return Err(TraceError::EmptyStretch { from, to });
    }
    if !(from >= first && to <= last) {
        return Err(TraceError::OutsideTrace {
            first,
            last,
            from,
            to,
        });
    }
    let mut joules = 0.0;
    for pair in samples.windows(2) {
        let (a, b) = (&pair[0], &pair[1]);
        let (start, end) = (a.seconds.max(from), b.seconds.min(to));
        if end <= start {
            continue;
        }
        // Power is linear between two samples, as the trapezoidal rule assumes.
        let slope = (b.watts() - a.watts()) / (b.seconds - a.seconds);
        let power = |at: f64| a.watts() + slope * (at - a.seconds);
        joules += 0.5 * (power(start) + power(end)) * (end - start);
    }
    Ok(joules)
}

/// The accepted header words of a quantity.
struct Quantity {
    name: &'static str,
    words: &'static [&'static str],
    example: &'static str,
    dimension: Dimension,
}

const TIME: Quantity = Quantity {
    name: "time",
    words: &["t", "time", "timestamp", "tempo", "second", "seconds"],
    example: "'t' or 'time_ms'",
    dimension: Dimension::Time,
};
const VOLTAGE: Quantity = Quantity {
    name: "voltage",
    words: &[
        "v", "u", "voltage", "volts", "vbus", "bus", "supply", "ch2", "tensão", "tensao",
    ],
    example: "'v' or 'voltage [mV]'",
    dimension: Dimension::Voltage,
};
const CURRENT: Quantity = Quantity {
    name: "current",
    words: &["i", "a", "current", "amps", "amperes", "corrente"],
    example: "'i' or 'current (mA)'",
    dimension: Dimension::Current,
};

const SHUNT: Quantity = Quantity {
    name: "shunt voltage",
    words: &["shunt", "vshunt", "ch1"],
    example: "'shunt [mV]' or 'ch1 (V)'",
    dimension: Dimension::Voltage,
};

/// Words of a header that repeat the unit's meaning and are ignored.
const FILLERS: [&str; 3] = ["voltage", "current", "time"];

/// Most lines that may precede the header of an oscilloscope's export.
const PREAMBLE: usize = 30;

struct Column {
    index: usize,
    factor: f64,
}

impl Column {
    fn find(heads: &[String], quantity: &Quantity, line: usize) -> Result<Column, TraceError> {
        for (index, head) in heads.iter().enumerate() {
            let mut parts = head
                .split(|c: char| c.is_whitespace() || "_[]()/".contains(c))
                .filter(|part| !part.is_empty());
            let Some(word) = parts.next() else { continue };
            if !quantity.words.contains(&word.to_lowercase().as_str()) {
                continue;
            }
            let filler = |part: &&str| FILLERS.contains(&part.to_lowercase().as_str());
            let Some(name) = parts.find(|part| !filler(part)) else {
                return Ok(Column { index, factor: 1.0 });
            };
            return match Unit::find(name) {
                Ok(unit) if unit.dimension == quantity.dimension => Ok(Column {
                    index,
                    factor: unit.factor,
                }),
                _ => Err(TraceError::BadUnit {
                    line,
                    column: head.clone(),
                    unit: name.to_owned(),
                }),
            };
        }
        Err(TraceError::MissingColumn {
            line,
            column: quantity.name,
            example: quantity.example,
        })
    }

    fn read(&self, fields: &[&str], decimal_comma: bool, line: usize) -> Result<f64, TraceError> {
        let text = fields[self.index];
        let number = if decimal_comma {
            text.replace(',', ".")
        } else {
            text.to_owned()
        };
        match number.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value * self.factor),
            _ => Err(TraceError::NotANumber {
                line,
                text: text.to_owned(),
            }),
        }
    }
}

fn unquote(field: &str) -> &str {
    let field = field.trim();
    field
        .strip_prefix('"')
        .and_then(|f| f.strip_suffix('"'))
        .unwrap_or(field)
        .trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-9 * b.abs().max(1e-12), "{a} is not {b}");
    }

    fn parse(text: &str) -> Vec<TraceSample> {
        parse_trace(text).expect("the test's trace is well formed")
    }

    #[test]
    fn profile_of_five_milliwatts() {
        let profile = PowerProfile {
            radio: None,
            name: "test".into(),
            source: "test".into(),
            supply_volts: 5.0,
            active_milliamps: 16.0,
            idle_milliamps: 15.0,
            power_down_milliamps: None,
            note: None,
        };
        close(profile.watts_above_idle(), 5e-3);
        // AES-128 encryption of albarello2020, Table II: 0.564 ms, 0.783 nWh.
        let nanowatt_hours = profile.joules(0.564e-3) / NANOWATT_HOUR;
        assert!((nanowatt_hours - 0.783).abs() < 5e-4, "{nanowatt_hours}");
    }

    #[test]
    fn a_current_alone_a_shunt_and_a_trigger() {
        let with = |text: &str, setup: &TraceSetup| parse_trace_with(text, setup);
        let supply = TraceSetup {
            supply_volts: Some(5.0),
            ..TraceSetup::default()
        };
        // A power profiler: a current and eight pins. Two operations of 2 ms at 10 mA over 6 mA,
        // and a third that the end of the trace cuts off.
        let mut text = "Timestamp(ms),Current(uA),D0,D1\n".to_owned();
        for tenth in 0..100 {
            let high = (20..40).contains(&tenth) || (60..80).contains(&tenth) || tenth > 95;
            let microamperes = if high { 10_000 } else { 6_000 };
            text += &format!(
                "{}.{},{microamperes},{},0\n",
                tenth / 10,
                tenth % 10,
                u8::from(high)
            );
        }
        assert!(matches!(
            with(&text, &TraceSetup::default()),
            Err(TraceError::MissingColumn {
                column: "voltage",
                ..
            })
        ));
        let on = |name: &str| TraceSetup {
            trigger: Some(name.into()),
            ..supply.clone()
        };
        let trace = with(&text, &on("d0")).expect("valid");
        assert_eq!(trace.high, [2e-3..4e-3, 6e-3..8e-3]);
        let energy =
            integrate_each(&trace.samples, &trace.high, &Idle::Watts(30e-3)).expect("valid");
        assert_eq!(energy.stretches, 2);
        // The current falls between two samples, so half an interval counts.
        close(energy.joules, 5.0 * 4e-3 * (1.9e-3 + 0.05e-3));
        assert!(matches!(
            with(&text, &on("d1")),
            Err(TraceError::NeverHigh { .. })
        ));
        assert!(matches!(
            with(&text, &on("D7")),
            Err(TraceError::NoTrigger { line: 1, .. })
        ));

        // An oscilloscope over a shunt of 10 ohms: lines before the header, then volts.
        let text = "Model,ABC1000\nSample Interval,1e-6\nTime(s),CH1(V)\n0,0.1\n1,0.1\n";
        let shunt = TraceSetup {
            shunt_ohms: Some(10.0),
            ..supply
        };
        let trace = with(text, &shunt).expect("valid");
        close(trace.samples[0].amperes, 0.01);
        close(trace.samples[0].volts, 4.9);
        // The second channel is the supply at the chip, or a trigger.
        let text = "Time(s),CH1(V),CH2(V)\n0,0.1,0\n1,0.1,4.8\n2,0.1,0\n";
        assert_eq!(with(text, &shunt).expect("valid").samples[1].volts, 4.8);
        let both = TraceSetup {
            trigger: Some("CH2".into()),
            ..shunt
        };
        let trace = with(text, &both).expect("valid");
        assert_eq!((trace.high, trace.samples[1].volts), (vec![1.0..2.0], 4.9));

        // The log of an INA219.
        let trace = parse("Time (ms);Bus Voltage (V);Current (mA)\n0;4,9;20\n10;4,9;20\n");
        close(trace[1].watts(), 0.098);
    }

    #[test]
    fn constant_power_unevenly_sampled() {
        let trace = parse("t,v,i\n0,5,0.02\n0.1,5,0.02\n0.75,5,0.02\n1,5,0.02\n2,5,0.02\n");
        let energy = integrate(&trace, None, &Idle::None).expect("valid");
        close(energy.joules, 0.2);
        close(energy.nanowatt_hours, 0.2 / 3.6e-6);
        assert_eq!(energy.samples, 5);
        close(energy.seconds, 2.0);
    }

    #[test]
    fn a_ramp_of_current_and_its_middle() {
        // P(t) = 10 t: the integral is 5 t^2.
        let trace = parse("t,v,i\n0,10,0\n1,10,1\n4,10,4\n");
        close(
            integrate(&trace, None, &Idle::None).expect("valid").joules,
            80.0,
        );
        let part = integrate(&trace, Some(0.5..3.0), &Idle::None).expect("valid");
        close(part.joules, 5.0 * (9.0 - 0.25));
        assert_eq!(part.samples, 1);
    }

    #[test]
    fn idle_is_subtracted() {
        // 5 V: 10 mA at rest for a second, then 30 mA for a second.
        let trace = parse("t,v,i\n0,5,0.01\n1,5,0.01\n1.000001,5,0.03\n2.000001,5,0.03\n");
        let work = Some(1.000001..2.000001);
        let between = integrate(&trace, work.clone(), &Idle::Between(0.0..1.0)).expect("valid");
        close(between.idle_watts, 0.05);
        close(between.joules, 0.1);
        close(between.total_joules, 0.15);
        close(
            integrate(&trace, work, &Idle::Watts(0.05))
                .expect("valid")
                .joules,
            0.1,
        );
    }

    #[test]
    fn exports_of_meters_read_the_same() {
        let want = parse("t,v,i\n0,5,0.02\n0.5,5,0.03\n");
        for text in [
            "time_ms,voltage_mV,current_mA\n0,5000,20\n500,5000,30\n",
            "Tempo [s];Tensão (V);Corrente (mA)\n0,0;5,0;20,0\n0,5;5,0;30,0\n",
            "\u{feff}\"i [mA]\"\t\"t [us]\"\t\"v\"\r\n20\t0\t5\r\n30\t500000\t5\r\n",
            "# made by a meter\n\ntimestamp,flags,V,A\n0,x,5,0.02\n0.5,x,5,0.03\n",
            "t;v;i;\n0;5;0,02;\n0,5;5;0,03;\n",
            "t (µs),v (V),i (µA)\n0,5,20000\n500000,5,30000\n",
        ] {
            let got = parse(text);
            assert_eq!(got.len(), want.len(), "{text}");
            for (a, b) in got.iter().zip(&want) {
                close(a.seconds, b.seconds);
                close(a.volts, b.volts);
                close(a.amperes, b.amperes);
            }
        }
    }

    #[test]
    fn errors_name_the_line() {
        assert_eq!(parse_trace("\n \n"), Err(TraceError::Empty));
        assert!(matches!(
            parse_trace("t,v\n0,5\n"),
            Err(TraceError::MissingColumn {
                line: 1,
                column: "current",
                ..
            })
        ));
        assert!(matches!(
            parse_trace("t,v,i [mV]\n0,5,1\n"),
            Err(TraceError::BadUnit { line: 1, .. })
        ));
        assert_eq!(
            parse_trace("t,v,i\n0,5,1\n1,5,NaN\n"),
            Err(TraceError::NotANumber {
                line: 3,
                text: "NaN".into()
            })
        );
        assert_eq!(
            parse_trace("t,v,i\n0,5,1\n1,5\n"),
            Err(TraceError::WrongFieldCount {
                line: 3,
                found: 2,
                expected: 3
            })
        );
        assert_eq!(
            parse_trace("t,v,i\n0,5,1\n# note\n2,5,1\n1.5,5,1\n"),
            Err(TraceError::TimeGoesBack {
                line: 5,
                before: 2.0,
                after: 1.5
            })
        );
        assert_eq!(
            parse_trace("t,v,i\n0,5,1\n"),
            Err(TraceError::TooFewSamples(1))
        );
    }

    #[test]
    fn stretches_must_lie_within_the_trace() {
        let trace = parse("t,v,i\n0,5,1\n1,5,1\n");
        assert!(matches!(
            integrate(&trace, Some(0.5..1.5), &Idle::None),
            Err(TraceError::OutsideTrace { .. })
        ));
        assert!(matches!(
            integrate(&trace, Some(0.5..0.5), &Idle::None),
            Err(TraceError::EmptyStretch { .. })
        ));
        assert!(integrate(&trace, Some(f64::NAN..1.0), &Idle::None).is_err());
        assert!(integrate(&trace, None, &Idle::Between(-1.0..0.5)).is_err());
    }

    #[test]
    fn stretches_add_up() {
        // Any cut of a jagged trace gives the same total: try 200 cuts of a pseudo-random trace
        // with a fixed seed.
        let mut state = 7u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1u32 << 24)
        };
        let mut seconds = 0.0;
        let trace: Vec<TraceSample> = (0..50)
            .map(|_| {
                seconds += 1e-3 + next();
                TraceSample {
                    seconds,
                    volts: 3.0 + next(),
                    amperes: next(),
                }
            })
            .collect();
        let (first, last) = (trace[0].seconds, trace[49].seconds);
        let whole = integrate(&trace, None, &Idle::None).expect("valid").joules;
        for _ in 0..200 {
            let cut = first + (last - first) * (0.001 + 0.998 * next());
            let left = integrate(&trace, Some(first..cut), &Idle::None)
                .expect("valid")
                .joules;
            let right = integrate(&trace, Some(cut..last), &Idle::None)
                .expect("valid")
                .joules;
            close(left + right, whole);
        }
    }
}
