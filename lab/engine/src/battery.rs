//! Battery life for a duty cycle: a board that sleeps, wakes up once a period,
//! works, and sleeps again, as the sensor nodes of ramalho2024 do.
//!
//! Life is energy divided by average power. A converter between battery and
//! board is taken as lossless, and the whole capacity as usable: both make the
//! figure an upper bound.

use schemars::JsonSchema;
use serde::Serialize;

use selo_base::units::YEAR;

/// A battery: capacity at its nominal voltage.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Battery {
    pub name: String,
    pub milliamp_hours: f64,
    pub volts: f64,
    /// Share of the capacity lost in a year on the shelf, in percent.
    pub self_discharge_percent: f64,
}

/// The built-in batteries: name, mAh, V.
///
/// CR2032: 225 mAh at 3 V, as in ramalho2024. Two alkaline AA cells in series:
/// 2,500 mAh at 3 V. Lithium coin cells lose about 1 % a year, alkaline cells
/// about 2 to 3 %; self-discharge counts only on request.
const KNOWN: &[(&str, f64, f64)] = &[("cr2032", 225.0, 3.0), ("2xaa", 2500.0, 3.0)];

impl Battery {
    /// Parses a battery name, or capacity and voltage such as `1200mAh@3.7V`.
    pub fn parse(text: &str) -> Result<Battery, String> {
        let lower = text.trim().to_lowercase();
        if let Some((name, milliamp_hours, volts)) =
            KNOWN.iter().find(|known| known.0 == lower).copied()
        {
            return Ok(Battery {
                name: name.to_owned(),
                milliamp_hours,
                volts,
                self_discharge_percent: 0.0,
            });
        }
        let custom = || {
            let (capacity, volts) = lower.split_once('@')?;
            let milliamp_hours = capacity
                .trim()
                .strip_suffix("mah")?
                .trim()
                .parse::<f64>()
                .ok()?;
            let volts = volts.trim().strip_suffix('v')?.trim().parse::<f64>().ok()?;
            let usable = |x: f64| x.is_finite() && x > 0.0;
            (usable(milliamp_hours) && usable(volts)).then_some((milliamp_hours, volts))
        };
        match custom() {
            Some((milliamp_hours, volts)) => Ok(Battery {
                name: text.trim().to_owned(),
                milliamp_hours,
                volts,
                self_discharge_percent: 0.0,
            }),
            None => Err(format!(
                "unknown battery '{}'; known: {}, or capacity and voltage such as 1200mAh@3.7V",
                text.trim(),
                KNOWN
                    .iter()
                    .map(|known| known.0)
                    .collect::<Vec<_>>()
                    .join(", ")
            )),
        }
    }

    /// Energy of the full battery, in joules.
    pub fn joules(&self) -> f64 {
        self.milliamp_hours * 1e-3 * 3600.0 * self.volts
    }

    /// Self-discharge as a steady drain, in watts.
    pub fn self_discharge_watts(&self) -> f64 {
        self.joules() * self.self_discharge_percent / 100.0 / YEAR
    }
}

/// The work of a board in each period.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DutyCycle {
    /// Power while it sleeps, in watts.
    pub sleep_watts: f64,
    /// Power while it works, in watts (the whole board, not above idle).
    pub active_watts: f64,
    /// Working time in each period, in seconds.
    pub active_seconds: f64,
    /// Length of a period, in seconds.
    pub period_seconds: f64,
}

impl DutyCycle {
    /// Mean power over a period, in watts. Fails if the work lasts longer than the period.
    pub fn average_watts(&self) -> Result<f64, String> {
        let sound = |x: f64| x.is_finite() && x >= 0.0;
        let given = [
            self.sleep_watts,
            self.active_watts,
            self.active_seconds,
            self.period_seconds,
        ];
        if !given.into_iter().all(sound) || self.period_seconds == 0.0 {
            return Err("powers and times must be positive numbers".into());
        }
        if self.active_seconds > self.period_seconds {
            return Err(format!(
                "the work takes {} s, longer than its period of {} s",
                self.active_seconds, self.period_seconds
            ));
        }
        let asleep = self.period_seconds - self.active_seconds;
        Ok(
            (self.active_watts * self.active_seconds + self.sleep_watts * asleep)
                / self.period_seconds,
        )
    }
}

/// The life of a battery under a duty cycle.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Life {
    /// `None` if the board and the battery's self-discharge draw no power.
    pub seconds: Option<f64>,
    pub years: Option<f64>,
    /// Mean power that the board draws, in watts.
    pub average_watts: f64,
    /// Self-discharge, in watts.
    pub self_discharge_watts: f64,
    /// Share of the energy that the work itself takes (above sleep), in percent.
    pub work_percent: f64,
}

/// Life of `battery` under `duty`.
pub fn life(battery: &Battery, duty: &DutyCycle) -> Result<Life, String> {
    let average_watts = duty.average_watts()?;
    let self_discharge_watts = battery.self_discharge_watts();
    let drain = average_watts + self_discharge_watts;
    let work = (duty.active_watts - duty.sleep_watts) * duty.active_seconds / duty.period_seconds;
    let seconds = (drain > 0.0).then(|| battery.joules() / drain);
    Ok(Life {
        seconds,
        years: seconds.map(|s| s / YEAR),
        average_watts,
        self_discharge_watts,
        work_percent: if drain > 0.0 {
            100.0 * work / drain
        } else {
            0.0
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cr2032() -> Battery {
        Battery::parse("CR2032").expect("known")
    }

    fn always(watts: f64) -> DutyCycle {
        DutyCycle {
            sleep_watts: watts,
            active_watts: 0.0,
            active_seconds: 0.0,
            period_seconds: 5.0,
        }
    }

    fn years(duty: &DutyCycle) -> f64 {
        life(&cr2032(), duty)
            .expect("valid")
            .years
            .expect("it draws something")
    }

    #[test]
    fn batteries_by_name_and_by_figures() {
        assert!((cr2032().joules() - 2430.0).abs() < 1e-9);
        assert!((Battery::parse("2xAA").expect("known").joules() - 27_000.0).abs() < 1e-9);
        let custom = Battery::parse("1200mAh@3.7V").expect("figures");
        assert_eq!((custom.milliamp_hours, custom.volts), (1200.0, 3.7));
        for bad in ["", "aaa", "-5mAh@3V", "5mAh", "5mAh@0V", "nanmAh@3V"] {
            assert!(Battery::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_steady_milliwatt() {
        let life = life(&cr2032(), &always(1e-3)).expect("valid");
        assert!((life.seconds.expect("drains") - 2_430_000.0).abs() < 1e-6);
        assert_eq!(life.work_percent, 0.0);
    }

    #[test]
    fn nothing_lasts_forever_only_if_it_draws_nothing() {
        assert_eq!(life(&cr2032(), &always(0.0)).expect("valid").years, None);
        let battery = Battery {
            self_discharge_percent: 1.0,
            ..cr2032()
        };
        let years = life(&battery, &always(0.0))
            .expect("valid")
            .years
            .expect("it leaks");
        assert!((years - 100.0).abs() < 1e-9);
    }

    #[test]
    fn work_and_sleep_share_the_period() {
        // 10 mW for 1 s in 5 s, 1 mW else: 2.8 mW.
        let duty = DutyCycle {
            sleep_watts: 1e-3,
            active_watts: 1e-2,
            active_seconds: 1.0,
            period_seconds: 5.0,
        };
        assert!((duty.average_watts().expect("valid") - 2.8e-3).abs() < 1e-15);
        let life = life(&cr2032(), &duty).expect("valid");
        assert!((life.work_percent - 100.0 * 1.8 / 2.8).abs() < 1e-9);
        assert!(
            DutyCycle {
                active_seconds: 6.0,
                ..duty.clone()
            }
            .average_watts()
            .is_err()
        );
        assert!(
            DutyCycle {
                period_seconds: 0.0,
                ..duty.clone()
            }
            .average_watts()
            .is_err()
        );
        assert!(
            DutyCycle {
                sleep_watts: f64::NAN,
                ..duty
            }
            .average_watts()
            .is_err()
        );
    }

    /// The battery lives printed in ramalho2024 do not follow from its printed currents.
    /// lab/papers/ramalho2024.toml says so with the numbers that this test checks.
    #[test]
    fn ramalho2024_battery_life_does_not_follow_from_its_currents() {
        const PRINTED_TRANSMITTER: f64 = 578e6;
        const PRINTED_RECEIVER: f64 = 786e6;
        // The paper's own energies follow from its figures: 12 V, 6 uA, 10 s; 12 V, 14 uA, 0.480 s.
        let microwatt_hours = |watts: f64, seconds: f64| watts * seconds / 3.6e-3;
        assert!((microwatt_hours(12.0 * 6e-6, 10.0) - 0.20).abs() < 5e-3);
        assert!((microwatt_hours(12.0 * 14e-6, 0.480) - 0.02).abs() < 5e-3);
        // At rest only, 6 uA at 12 V empty a CR2032 in 1.07 years.
        let at_rest = years(&always(12.0 * 6e-6));
        assert!((at_rest - 1.07).abs() < 0.005, "{at_rest}");
        // One transmission of 0.480 s in 5 s on top: 0.95 years.
        let transmitting = DutyCycle {
            sleep_watts: 12.0 * 6e-6,
            active_watts: 12.0 * 14e-6,
            active_seconds: 0.480,
            period_seconds: 5.0,
        };
        let with_radio = years(&transmitting);
        assert!((with_radio - 0.95).abs() < 0.005, "{with_radio}");
        // The printed lives are 540 and 730 million times longer, ...
        assert_eq!((PRINTED_TRANSMITTER / at_rest / 1e7).round(), 54.0);
        assert_eq!((PRINTED_RECEIVER / at_rest / 1e7).round(), 73.0);
        // ... which needs an average power of 0.13 and 0.10 picowatts.
        let picowatts = |years: f64| cr2032().joules() / (years * YEAR) * 1e12;
        assert!((picowatts(PRINTED_TRANSMITTER) - 0.133).abs() < 5e-4);
        assert!((picowatts(PRINTED_RECEIVER) - 0.098).abs() < 5e-4);
        // A shelf loss of 1 % a year is already 0.77 microwatts.
        let leak = Battery {
            self_discharge_percent: 1.0,
            ..cr2032()
        }
        .self_discharge_watts();
        assert!((leak * 1e6 - 0.77).abs() < 5e-3, "{leak}");
        // The paper's share for Speck (0.04 % of the life) is one encryption of 1.7 nJ (0.46 pWh)
        // in 5 s: at 162.4 us and 12 V, a current of 0.85 uA above rest.
        let speck = picowatts(PRINTED_TRANSMITTER * 4e-4) * 1e-12 * 5.0;
        assert!((speck / 3.6e-9 - 0.46).abs() < 5e-3, "{speck}");
        assert!((speck / 162.4e-6 / 12.0 * 1e6 - 0.85).abs() < 0.01);
    }
}
