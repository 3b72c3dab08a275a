//! Energy: from power figures and a measured time, or from a measured trace.
//!
//! Both follow albarello2020: the integral of voltage times current over the operation, minus the
//! board's energy at rest in the same time.

mod trace;

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use selo_base::units::NANOWATT_HOUR;

pub use trace::{Trace, TraceError, TraceSetup, parse_trace, parse_trace_with};

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

#[cfg(test)]
mod tests;
