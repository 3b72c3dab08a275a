//! Energy: from power figures and a measured time, or from a measured trace.
//!
//! Both follow albarello2020: the integral of voltage times current over the
//! operation, less what the board would have drawn at rest in the same time.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::units::{Dimension, NANOWATT_HOUR, Unit};

/// What a board draws, and who says so: a `[[power]]` entry of a board file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PowerProfile {
    /// The name on the command line.
    pub name: String,
    /// Where the figures come from: a data sheet and table, a paper, a measurement.
    pub source: String,
    pub supply_volts: f64,
    /// Current while the core computes.
    pub active_milliamps: f64,
    /// Current while it waits; what is subtracted.
    pub idle_milliamps: f64,
    /// What a radio module draws beside that.
    #[serde(default)]
    pub radio: Option<RadioCurrents>,
    /// Current while its oscillator stands still and the watchdog runs, if it is known.
    #[serde(default)]
    pub power_down_milliamps: Option<f64>,
    /// What a reader must know before trusting the figures.
    #[serde(default)]
    pub note: Option<String>,
}

/// What a radio module draws, at the profile's voltage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RadioCurrents {
    /// While a packet is on the air.
    pub transmit_milliamps: f64,
    /// All other time: it listens.
    pub listen_milliamps: f64,
    /// Asleep, if it can be and the figure is known.
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

    /// Power of a node at rest, whose radio listens, in watts; `None` if nothing is said
    /// of a radio.
    pub fn resting_watts(&self) -> Option<f64> {
        let radio = self.radio?;
        Some(self.supply_volts * (self.idle_milliamps + radio.listen_milliamps) * 1e-3)
    }

    /// What a packet costs a node above [`PowerProfile::resting_watts`], in joules: its
    /// core is awake for `awake` seconds, its radio transmits for `on_air` seconds.
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

/// What is taken as the board's consumption at rest.
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
    /// With the idle consumption still in it.
    pub total_joules: f64,
    /// The power that was subtracted.
    pub idle_watts: f64,
    /// Length of the stretch.
    pub seconds: f64,
    /// Samples within the stretch, interpolated ends not counted.
    pub samples: usize,
}

/// Why a trace was refused. Lines count from 1, the header included.
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
    #[error("line {line}: column '{column}': unknown unit '{unit}'")]
    BadUnit {
        line: usize,
        column: String,
        unit: String,
    },
    #[error("line {line}: '{text}' is not a number")]
    NotANumber { line: usize, text: String },
    #[error("line {line}: {found} fields, the header has {expected}")]
    WrongFieldCount {
        line: usize,
        found: usize,
        expected: usize,
    },
    #[error("line {line}: time goes back from {before} s to {after} s")]
    TimeGoesBack {
        line: usize,
        before: f64,
        after: f64,
    },
    #[error("at least two samples are needed, there are {0}")]
    TooFewSamples(usize),
    #[error("the trace runs from {first} s to {last} s; {from} s to {to} s is not within it")]
    OutsideTrace {
        first: f64,
        last: f64,
        from: f64,
        to: f64,
    },
    #[error("an empty stretch of time: {from} s to {to} s")]
    EmptyStretch { from: f64, to: f64 },
}

/// Reads the export of a meter or oscilloscope: a header, then one line a
/// sample, with columns for time, voltage and current in any order.
///
/// The separator is what the header uses: semicolon, tab or comma. Units stand
/// in the header (`i [mA]`, `current_mA`, `time (ms)`); without one, seconds,
/// volts and amperes. With semicolons or tabs a comma in a number is a decimal comma.
/// Empty lines and lines that start with `#` are passed over.
pub fn parse_trace(text: &str) -> Result<Vec<TraceSample>, TraceError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim_end()))
        .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    let (header_line, header) = lines.next().ok_or(TraceError::Empty)?;
    let separator = [';', '\t']
        .into_iter()
        .find(|s| header.contains(*s))
        .unwrap_or(',');
    let heads: Vec<&str> = header.split(separator).map(unquote).collect();
    let time = Column::find(&heads, &TIME, header_line)?;
    let voltage = Column::find(&heads, &VOLTAGE, header_line)?;
    let current = Column::find(&heads, &CURRENT, header_line)?;

    let mut samples: Vec<TraceSample> = Vec::new();
    for (line, text) in lines {
        let fields: Vec<&str> = text.split(separator).map(unquote).collect();
        // A separator at the end of every line is common and means nothing.
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
        let sample = TraceSample {
            seconds: read(&time)?,
            volts: read(&voltage)?,
            amperes: read(&current)?,
        };
        if let Some(last) = samples.last() {
            if sample.seconds <= last.seconds {
                let (before, after) = (last.seconds, sample.seconds);
                return Err(TraceError::TimeGoesBack {
                    line,
                    before,
                    after,
                });
            }
        }
        samples.push(sample);
    }
    if samples.len() < 2 {
        return Err(TraceError::TooFewSamples(samples.len()));
    }
    Ok(samples)
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
        // Power is taken as linear between two samples, as the rule does.
        let slope = (b.watts() - a.watts()) / (b.seconds - a.seconds);
        let power = |at: f64| a.watts() + slope * (at - a.seconds);
        joules += 0.5 * (power(start) + power(end)) * (end - start);
    }
    Ok(joules)
}

/// How a quantity may be called in a header.
struct Quantity {
    name: &'static str,
    words: &'static [&'static str],
    example: &'static str,
    dimension: Dimension,
}

const TIME: Quantity = Quantity {
    name: "time",
    words: &["t", "time", "timestamp", "tempo"],
    example: "'t' or 'time_ms'",
    dimension: Dimension::Time,
};
const VOLTAGE: Quantity = Quantity {
    name: "voltage",
    words: &["v", "u", "voltage", "volts", "vbus", "tensão", "tensao"],
    example: "'v' or 'voltage [mV]'",
    dimension: Dimension::Voltage,
};
const CURRENT: Quantity = Quantity {
    name: "current",
    words: &["i", "a", "current", "amps", "amperes", "corrente"],
    example: "'i' or 'current (mA)'",
    dimension: Dimension::Current,
};

struct Column {
    index: usize,
    factor: f64,
}

impl Column {
    fn find(heads: &[&str], quantity: &Quantity, line: usize) -> Result<Column, TraceError> {
        for (index, head) in heads.iter().enumerate() {
            let mut parts = head
                .split(|c: char| c.is_whitespace() || "_[]()/".contains(c))
                .filter(|part| !part.is_empty());
            let Some(word) = parts.next() else { continue };
            if !quantity.words.contains(&word.to_lowercase().as_str()) {
                continue;
            }
            let Some(name) = parts.next() else {
                return Ok(Column { index, factor: 1.0 });
            };
            return match Unit::find(name) {
                Ok(unit) if unit.dimension == quantity.dimension => Ok(Column {
                    index,
                    factor: unit.factor,
                }),
                _ => Err(TraceError::BadUnit {
                    line,
                    column: (*head).to_owned(),
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
        // Any cut of a jagged trace gives the same total: 200 cuts of a fixed pseudo-random one.
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
