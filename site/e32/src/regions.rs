//! Radio rules of regions for equipment without a licence, as data. Only what decides whether a
//! plan fits is here; power limits are words. A rule changes: its text goes before this table.

use std::str::FromStr;

use serde::Serialize;

/// A band, and the rule for one fixed channel in it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Region {
    /// Name on the command line.
    pub name: &'static str,
    /// The band in kHz.
    pub band_khz: (u32, u32),
    /// Document and section.
    pub rule: &'static str,
    /// Limit of a transmitter's use of the channel.
    pub limit: Limit,
    /// Highest power, in words.
    pub power: &'static str,
}

/// Limit of a transmitter's use of the channel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// The largest share of an hour on the air.
    DutyCycle(f64),
    /// A transmitter that stays on one channel must be at least this wide, and has no limit in
    /// time. A narrower one must hop.
    WideOrHopping {
        /// Least bandwidth at 6 dB of a fixed channel, in Hz.
        fixed_hz: u32,
        /// Channels that are narrower than 250 kHz, and the others.
        hopping: [Hopping; 2],
    },
}

/// Rule of a transmitter that hops: at most 0.4 s on a channel within a window.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Hopping {
    /// Least number of channels.
    pub channels: u32,
    /// Longest stay on a channel within the window, ms.
    pub dwell_ms: u32,
    /// Length of the window, s.
    pub window_s: u32,
}

const fn hopping(channels: u32, window_s: u32) -> Hopping {
    Hopping {
        channels,
        dwell_ms: 400,
        window_s,
    }
}

/// All regions. Europe: [EN300220], whose limits are those of [ERC70-03]. United States:
/// [FCC15.247]. Brazil: [ANATEL680] with the technical requirements of [ANATEL14448].
pub const ALL: [Region; 5] = [
    Region {
        name: "EU",
        band_khz: (868_000, 868_600),
        rule: "ETSI EN 300 220-2, 868.0-868.6 MHz",
        limit: Limit::DutyCycle(0.01),
        power: "25 mW e.r.p.",
    },
    Region {
        name: "EU433",
        band_khz: (433_050, 434_790),
        rule: "ETSI EN 300 220-2, 433.05-434.79 MHz",
        limit: Limit::DutyCycle(0.1),
        power: "10 mW e.r.p.",
    },
    Region {
        name: "EU869",
        band_khz: (869_400, 869_650),
        rule: "ETSI EN 300 220-2, 869.4-869.65 MHz",
        limit: Limit::DutyCycle(0.1),
        power: "500 mW e.r.p.",
    },
    Region {
        name: "US",
        band_khz: (902_000, 928_000),
        rule: "FCC 15.247(a), 902-928 MHz",
        limit: Limit::WideOrHopping {
            fixed_hz: 500_000,
            hopping: [hopping(50, 20), hopping(25, 10)],
        },
        power: "1 W conducted",
    },
    Region {
        name: "BR",
        band_khz: (915_000, 928_000),
        rule: "Anatel Res. 680/2017, Ato 14448/2017, 10.2.5 and 10.3, 915-928 MHz",
        limit: Limit::WideOrHopping {
            fixed_hz: 500_000,
            hopping: [hopping(35, 14), hopping(17, 7)],
        },
        power: "1 W conducted",
    },
];

impl Limit {
    /// The hopping rule of a bandwidth.
    pub fn hopping(self, bandwidth_hz: u32) -> Option<Hopping> {
        match self {
            Limit::DutyCycle(_) => None,
            Limit::WideOrHopping { hopping, .. } => {
                Some(hopping[usize::from(bandwidth_hz >= 250_000)])
            }
        }
    }
}

impl FromStr for Region {
    type Err = String;

    fn from_str(text: &str) -> Result<Region, String> {
        let found = ALL
            .into_iter()
            .find(|one| one.name.eq_ignore_ascii_case(text));
        found.ok_or_else(|| {
            let names: Vec<&str> = ALL.iter().map(|one| one.name).collect();
            format!("one of {}", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The longest stay on each of the least number of channels fills the window, within one stay:
    /// a wrong figure in the table would not.
    #[test]
    fn stays_and_channels_fill_the_window() {
        for region in ALL {
            let Limit::WideOrHopping { hopping, .. } = region.limit else {
                continue;
            };
            for one in hopping {
                let all = one.channels * one.dwell_ms;
                assert!(
                    all.abs_diff(1000 * one.window_s) <= one.dwell_ms,
                    "{region:?}"
                );
            }
        }
    }

    #[test]
    fn regions_are_found_by_name() {
        assert_eq!("br".parse::<Region>().expect("known").name, "BR");
        let error = "mars".parse::<Region>().expect_err("unknown");
        assert_eq!(error, "one of EU, EU433, EU869, US, BR");
    }
}
