//! How long a LoRa packet is on the air, and what an E32 module makes of its air data rates.
//!
//! The formula is the transceiver's [SX1276, 4.1.1.7] [AN1200.13]. How a module's air data
//! rate becomes a spreading factor, a bandwidth and a coding rate, and what it sends around
//! the user's bytes, EBYTE does not publish; [E32-AIR] found both with a logic analyser
//! between a module's processor and its transceiver, and with another LoRa receiver.
//! [`AirRate::fidelity`] says of each rate what it rests on.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::Serialize;

/// How LoRa packets are modulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Modulation {
    /// Spreading factor, 6 to 12.
    pub spreading_factor: u8,
    /// Bandwidth in hertz.
    pub bandwidth_hz: u32,
    /// 1 to 4: four bits become so many more.
    pub coding_rate: u8,
}

/// What surrounds the payload of a LoRa packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Framing {
    /// Symbols of the preamble, as programmed; the chip adds 4.25.
    pub preamble: u16,
    /// The header tells length and coding rate.
    pub explicit_header: bool,
    /// The payload is followed by a CRC of 16 bits.
    pub crc: bool,
    /// Low data rate optimisation; `None`: where a symbol takes longer than 16 ms, as the
    /// data sheet demands.
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

/// Symbols longer than this need the low data rate optimisation [SX1276, 4.1.1.6].
const LONG_SYMBOL: Duration = Duration::from_millis(16);

/// Noise figure of the receiver in dB, of [AN1200.13]'s sensitivities.
const NOISE_FIGURE_DB: f64 = 6.0;

impl Modulation {
    /// A modulation that the chip knows.
    pub const fn new(spreading_factor: u8, bandwidth_hz: u32, coding_rate: u8) -> Modulation {
        assert!(spreading_factor >= 6 && spreading_factor <= 12);
        assert!(bandwidth_hz > 0 && coding_rate >= 1 && coding_rate <= 4);
        Modulation {
            spreading_factor,
            bandwidth_hz,
            coding_rate,
        }
    }

    /// The time of a number of quarter symbols, exact to the nanosecond (rounded down).
    fn quarter_symbols(self, quarters: u64) -> Duration {
        let chips = u128::from(quarters) << self.spreading_factor;
        let nanoseconds = chips * 1_000_000_000 / (4 * u128::from(self.bandwidth_hz));
        Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
    }

    /// The time of one symbol, 2^SF / BW.
    pub fn symbol(self) -> Duration {
        self.quarter_symbols(4)
    }

    /// Bits of payload a second while payload is sent.
    pub fn bit_rate(self) -> f64 {
        let symbols = f64::from(self.bandwidth_hz) / f64::from(1_u32 << self.spreading_factor);
        let code = 4.0 / (4.0 + f64::from(self.coding_rate));
        f64::from(self.spreading_factor) * symbols * code
    }

    /// Symbols of header, payload and CRC [SX1276, 4.1.1.7].
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

    /// Time on air of a packet with so many bytes of payload.
    pub fn airtime(self, framing: Framing, bytes: usize) -> Duration {
        let preamble = 4 * u64::from(framing.preamble) + 17;
        self.quarter_symbols(preamble + 4 * self.payload_symbols(framing, bytes))
    }

    /// The signal-to-noise ratio in dB that a receiver needs [SX1276, 4.1.1.2].
    pub fn snr_required_db(self) -> f64 {
        -5.0 - 2.5 * (f64::from(self.spreading_factor) - 6.0)
    }

    /// The thermal noise in the band and the receiver's own, in dBm.
    pub fn noise_dbm(self) -> f64 {
        -174.0 + 10.0 * f64::from(self.bandwidth_hz).log10() + NOISE_FIGURE_DB
    }

    /// The weakest packet that a receiver understands, in dBm.
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

/// What a figure rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fidelity {
    /// Read off the bus between the module's processor and its transceiver.
    Observed,
    /// Follows the pattern of the observed ones; nobody published a measurement.
    Assumed,
}

impl AirRate {
    /// From the slowest to the fastest.
    pub const ALL: [AirRate; 6] = [
        AirRate::R300,
        AirRate::R1200,
        AirRate::R2400,
        AirRate::R4800,
        AirRate::R9600,
        AirRate::R19200,
    ];

    /// The nominal rate in bits a second.
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

    /// What the module programs into its transceiver [E32-AIR].
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

    /// What [`AirRate::modulation`] rests on.
    pub const fn fidelity(self) -> Fidelity {
        match self {
            AirRate::R9600 | AirRate::R19200 => Fidelity::Assumed,
            _ => Fidelity::Observed,
        }
    }

    /// Time on air of one sub-packet with so many bytes of the user's.
    pub fn airtime(self, bytes: usize, fec: bool) -> Duration {
        let on_air = bytes_on_air(bytes, fec);
        self.modulation().airtime(Framing::default(), on_air)
    }
}

/// Length, whitening key, address (2), checksum.
const AROUND: usize = 5;
/// A check at the end that is not coded.
const CHECK: usize = 2;

/// What a module hands to its transceiver for so many bytes of the user's: with forward
/// error correction every nibble becomes a byte, so that "Hello", 5 bytes, is 22 [E32-AIR].
/// Without it nobody has published what is sent; the same fields, uncoded, are assumed.
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

    /// A worked example of a spreadsheet after [AN1200.13] (SF9, 13 bytes), and what LoRaWAN
    /// calculators print for its 13 bytes around 10 of payload.
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
        // Never less than the 8 symbols of the header's block.
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

    /// [E32-AIR]: "Hello" is 22 bytes. A whole sub-packet then is 128, half the chip's
    /// buffer, which is where its odd 58 bytes come from.
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

    /// The receiver's figures [SX1276, table 10]; they include its noise figure, which is not
    /// the same in every band.
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
