//! Air time of LoRa packets, and the modulation behind the air data rates of an E32 module.
//!
//! The formula is the transceiver's [SX1276, 4.1.1.7] [AN1200.13]. EBYTE does not publish how
//! an air data rate maps to spreading factor, bandwidth and coding rate, or which bytes a
//! module adds. [E32-AIR] determined both with a logic analyser between a module's processor
//! and its transceiver, and with another LoRa receiver. [`AirRate::fidelity`] states the
//! evidence for each rate.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::Serialize;

/// LoRa modulation parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Modulation {
    /// Spreading factor, 6 to 12.
    pub spreading_factor: u8,
    /// Bandwidth in hertz.
    pub bandwidth_hz: u32,
    /// 1 to 4: number of redundant bits per four data bits.
    pub coding_rate: u8,
}

/// Packet parameters other than the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Framing {
    /// Symbols of the preamble, as programmed; the chip adds 4.25.
    pub preamble: u16,
    /// An explicit header contains length and coding rate.
    pub explicit_header: bool,
    /// A 16-bit CRC follows the payload.
    pub crc: bool,
    /// Low data rate optimisation. `None` enables it if a symbol takes longer than 16 ms, as
    /// the data sheet requires.
    pub low_data_rate: Option<bool>,
}

impl Default for Framing {
    fn default() -> Framing {
        Framing {
            preamble: 8,
            explicit_header: true,
            crc: true,
            low_data_rate: None,
        }
    }
}

/// Longer symbols require the low data rate optimisation [SX1276, 4.1.1.6].
const LONG_SYMBOL: Duration = Duration::from_millis(16);

/// Noise figure of the receiver in dB, from the sensitivities in [AN1200.13].
const NOISE_FIGURE_DB: f64 = 6.0;

impl Modulation {
    /// Makes a modulation. Panics if the chip does not support it.
    pub const fn new(spreading_factor: u8, bandwidth_hz: u32, coding_rate: u8) -> Modulation {
        assert!(spreading_factor >= 6 && spreading_factor <= 12);
        assert!(bandwidth_hz > 0 && coding_rate >= 1 && coding_rate <= 4);
        Modulation {
            spreading_factor,
            bandwidth_hz,
            coding_rate,
        }
    }

    /// Duration of quarter symbols, rounded down to nanoseconds.
    fn quarter_symbols(self, quarters: u64) -> Duration {
        let chips = u128::from(quarters) << self.spreading_factor;
        let nanoseconds = chips * 1_000_000_000 / (4 * u128::from(self.bandwidth_hz));
        Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
    }

    /// Duration of one symbol, 2^SF / BW.
    pub fn symbol(self) -> Duration {
        self.quarter_symbols(4)
    }

    /// Payload bit rate, bits per second.
    pub fn bit_rate(self) -> f64 {
        let symbols = f64::from(self.bandwidth_hz) / f64::from(1_u32 << self.spreading_factor);
        let code = 4.0 / (4.0 + f64::from(self.coding_rate));
        f64::from(self.spreading_factor) * symbols * code
    }

    /// Number of symbols of header, payload and CRC [SX1276, 4.1.1.7].
    pub fn payload_symbols(self, framing: Framing, bytes: usize) -> u64 {
        let sf = i64::from(self.spreading_factor);
        let low_data_rate = framing.low_data_rate.unwrap_or(self.symbol() > LONG_SYMBOL);
        let bits = 8 * bytes as i64 - 4 * sf + 28 + if framing.crc { 16 } else { 0 }
            - if framing.explicit_header { 0 } else { 20 };
        let per_block = 4 * (sf - if low_data_rate { 2 } else { 0 });
        let blocks = bits
            .max(0)
            .unsigned_abs()
            .div_ceil(per_block.unsigned_abs());
        8 + blocks * (u64::from(self.coding_rate) + 4)
    }

    /// Air time of a packet with this many payload bytes.
    pub fn airtime(self, framing: Framing, bytes: usize) -> Duration {
        let preamble = 4 * u64::from(framing.preamble) + 17;
        self.quarter_symbols(preamble + 4 * self.payload_symbols(framing, bytes))
    }

    /// Minimum signal-to-noise ratio for reception, dB [SX1276, 4.1.1.2].
    pub fn snr_required_db(self) -> f64 {
        -5.0 - 2.5 * (f64::from(self.spreading_factor) - 6.0)
    }

    /// Thermal noise in the band plus receiver noise, dBm.
    pub fn noise_dbm(self) -> f64 {
        -174.0 + 10.0 * f64::from(self.bandwidth_hz).log10() + NOISE_FIGURE_DB
    }

    /// Weakest signal that a receiver can decode, dBm.
    pub fn sensitivity_dbm(self) -> f64 {
        self.noise_dbm() + self.snr_required_db()
    }
}

/// An air data rate of the E32 modules [E32-MANUAL, 7.5].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum AirRate {
    R300,
    R1200,
    R2400,
    R4800,
    R9600,
    R19200,
}

/// Evidence for a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fidelity {
    /// Measured on the bus between the module's processor and its transceiver.
    Observed,
    /// Extrapolated from the observed rates; no measurement is published.
    Assumed,
}

impl AirRate {
    /// All rates, slowest first.
    pub const ALL: [AirRate; 6] = [
        AirRate::R300,
        AirRate::R1200,
        AirRate::R2400,
        AirRate::R4800,
        AirRate::R9600,
        AirRate::R19200,
    ];

    /// Nominal rate, bits per second.
    pub const fn bits_per_second(self) -> u32 {
        match self {
            AirRate::R300 => 300,
            AirRate::R1200 => 1_200,
            AirRate::R2400 => 2_400,
            AirRate::R4800 => 4_800,
            AirRate::R9600 => 9_600,
            AirRate::R19200 => 19_200,
        }
    }

    /// The modulation that the module programs into its transceiver [E32-AIR].
    pub const fn modulation(self) -> Modulation {
        match self {
            AirRate::R300 => Modulation::new(12, 125_000, 1),
            AirRate::R1200 => Modulation::new(11, 250_000, 1),
            AirRate::R2400 => Modulation::new(11, 500_000, 1),
            AirRate::R4800 => Modulation::new(8, 250_000, 2),
            AirRate::R9600 => Modulation::new(8, 500_000, 2),
            AirRate::R19200 => Modulation::new(7, 500_000, 2),
        }
    }

    /// Evidence for [`AirRate::modulation`].
    pub const fn fidelity(self) -> Fidelity {
        match self {
            AirRate::R9600 | AirRate::R19200 => Fidelity::Assumed,
            _ => Fidelity::Observed,
        }
    }

    /// Air time of one sub-packet with this many user bytes.
    pub fn airtime(self, bytes: usize, fec: bool) -> Duration {
        let on_air = bytes_on_air(bytes, fec);
        self.modulation().airtime(Framing::default(), on_air)
    }
}

/// Bytes that a module adds: length, whitening key, address (2), checksum.
const AROUND: usize = 5;
/// Uncoded check bytes at the end.
const CHECK: usize = 2;

/// Bytes that a module passes to its transceiver for this many user bytes. Forward error
/// correction codes each nibble as a byte, so the 5 bytes of "Hello" become 22 [E32-AIR]. No
/// measurement without it is published; the same fields without coding are assumed.
pub const fn bytes_on_air(bytes: usize, fec: bool) -> usize {
    let coded = bytes + AROUND;
    CHECK + if fec { 2 * coded } else { coded }
}

impl fmt::Display for AirRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = self.bits_per_second();
        write!(f, "{}.{}k", bits / 1000, bits % 1000 / 100)
    }
}

impl FromStr for AirRate {
    type Err = String;

    fn from_str(text: &str) -> Result<AirRate, String> {
        AirRate::ALL
            .into_iter()
            .find(|rate| text == rate.to_string() || text == rate.bits_per_second().to_string())
            .ok_or_else(|| "one of 0.3k, 1.2k, 2.4k, 4.8k, 9.6k, 19.2k".into())
    }
}

impl Serialize for AirRate {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn microseconds(modulation: Modulation, bytes: usize) -> u128 {
        modulation.airtime(Framing::default(), bytes).as_micros()
    }

    /// A worked example of an [AN1200.13] spreadsheet (SF9, 13 bytes), and the results of
    /// LoRaWAN calculators for a payload of 10 bytes with 13 bytes of overhead.
    #[test]
    fn published_times_come_out() {
        assert_eq!(microseconds(Modulation::new(9, 125_000, 1), 13), 164_864);
        assert_eq!(microseconds(Modulation::new(7, 125_000, 1), 23), 61_696);
        assert_eq!(microseconds(Modulation::new(12, 125_000, 1), 23), 1_482_752);
    }

    /// SF7, 125 kHz, 4/5, 20 bytes: 160 - 28 + 28 + 16 = 176 bits, 7 blocks of 28, 35
    /// symbols; 8 + 35 + 12.25 = 55.25 of 1.024 ms.
    #[test]
    fn each_part_of_the_formula_counts() {
        let sf7 = Modulation::new(7, 125_000, 1);
        let plain = Framing::default();
        assert_eq!(sf7.symbol(), Duration::from_micros(1_024));
        assert_eq!(sf7.payload_symbols(plain, 20), 43);
        assert_eq!(sf7.airtime(plain, 20), Duration::from_micros(56_576));
        // 160 - 28 + 28 = 160: 6 blocks.
        let without_crc = Framing {
            crc: false,
            ..plain
        };
        assert_eq!(sf7.payload_symbols(without_crc, 20), 8 + 30);
        // 176 - 20 = 156: 6 blocks.
        let implicit = Framing {
            explicit_header: false,
            ..plain
        };
        assert_eq!(sf7.payload_symbols(implicit, 20), 8 + 30);
        // 176 bits in blocks of 20: 9.
        let low = Framing {
            low_data_rate: Some(true),
            ..plain
        };
        assert_eq!(sf7.payload_symbols(low, 20), 8 + 45);
        let long = Framing {
            preamble: 100,
            ..plain
        };
        assert_eq!(
            sf7.airtime(long, 20) - sf7.airtime(plain, 20),
            92 * sf7.symbol()
        );
        // The minimum is the 8 symbols of the header block.
        let sf12 = Modulation::new(12, 125_000, 1);
        let nothing = Framing {
            explicit_header: false,
            crc: false,
            ..plain
        };
        assert_eq!(sf12.payload_symbols(nothing, 0), 8);
    }

    #[test]
    fn the_optimisation_is_on_from_16_ms_a_symbol() {
        for (sf, hertz, long) in [
            (11, 125_000, true),
            (11, 250_000, false),
            (12, 250_000, true),
        ] {
            let modulation = Modulation::new(sf, hertz, 1);
            let forced = Framing {
                low_data_rate: Some(long),
                ..Framing::default()
            };
            assert_eq!(
                modulation.payload_symbols(Framing::default(), 50),
                modulation.payload_symbols(forced, 50),
                "SF{sf} at {hertz} Hz"
            );
        }
    }

    #[test]
    fn the_bit_rates_are_near_what_the_modules_call_them() {
        for rate in AirRate::ALL {
            let share = rate.modulation().bit_rate() / f64::from(rate.bits_per_second());
            assert!((0.89..1.09).contains(&share), "{rate}: {share}");
            assert_eq!(rate.to_string().parse(), Ok(rate));
        }
        assert_eq!("19200".parse(), Ok(AirRate::R19200));
        assert!("2.5k".parse::<AirRate>().is_err());
    }

    /// [E32-AIR]: "Hello" becomes 22 bytes. A full sub-packet becomes 128 bytes, half of the
    /// chip's buffer, which explains the maximum of 58.
    #[test]
    fn what_a_module_sends_is_what_was_observed() {
        assert_eq!(bytes_on_air(5, true), 22);
        assert_eq!(bytes_on_air(58, true), 128);
        // 128 bytes at SF11: 1024 - 44 + 28 + 16 = 1024 bits, 24 blocks of 44, 120 symbols;
        // 8 + 120 + 12.25 = 140.25 of 4.096 ms.
        assert_eq!(
            AirRate::R2400.airtime(58, true),
            Duration::from_micros(574_464)
        );
    }

    /// The receiver's figures [SX1276, table 10]. They include its noise figure, which varies
    /// between bands.
    #[test]
    fn sensitivities_are_the_data_sheets_within_3_db() {
        for (sf, hertz, dbm) in [
            (12, 125_000, -136.0),
            (7, 125_000, -123.0),
            (8, 250_000, -123.0),
            (7, 500_000, -116.0),
        ] {
            let ours = Modulation::new(sf, hertz, 1).sensitivity_dbm();
            assert!((ours - dbm).abs() <= 3.0, "SF{sf}, {hertz} Hz: {ours} dBm");
        }
    }
}
