//! The six configuration bytes of an E32: a head byte, then ADDH ADDL SPED CHAN OPTION
//! [E32-MANUAL, 7.5].

use std::time::Duration;

use crate::airtime::AirRate;

/// Duration of the silence that ends a frame, in byte times [E32-MANUAL, 6.2].
pub const SILENCE_BYTES: u32 = 3;

/// Broadcast address: all modules receive it, and a module with this address receives all
/// frames.
pub const EVERYONE: u16 = 0xffff;

/// The parity of the module's UART.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Parity {
    None,
    Odd,
    Even,
}

/// Settings of the module's UART.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Uart {
    /// Bits per second, including start and stop bits.
    pub baud: u32,
    /// The parity bit after the eight data bits.
    pub parity: Parity,
}

impl Uart {
    /// UART settings of the configuration mode [E32-MANUAL, 7].
    pub const CONFIGURATION: Uart = Uart {
        baud: 9_600,
        parity: Parity::None,
    };

    /// Duration of one byte: start bit, eight bits, optional parity, stop bit.
    pub fn byte(self) -> Duration {
        let bits = if self.parity == Parity::None { 10 } else { 11 };
        Duration::from_nanos(bits * 1_000_000_000 / u64::from(self.baud))
    }
}

/// UART rates, indexed by their bits in SPED.
const BAUDS: [u32; 8] = [1_200, 2_400, 4_800, 9_600, 19_200, 38_400, 57_600, 115_200];

/// Transmission powers of a 100 mW module in dBm, indexed by their bits in OPTION.
const POWERS: [i8; 4] = [20, 17, 14, 10];

/// Frequency of channel 0 in MHz. Channels are 1 MHz apart [E32-MANUAL, 7.5].
const FIRST_MHZ: u16 = 410;

/// The parameters of a module, as the five bytes after the head. Unused bits keep their values.
/// CHAN has five bits, as in the manual of the E32-433.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameters {
    bytes: [u8; 5],
}

impl Default for Parameters {
    /// Factory settings: address 0, 9600 8N1, 2.4k, channel 23 (433 MHz), transparent, FEC, 20
    /// dBm: `C0 00 00 1A 17 44`.
    fn default() -> Parameters {
        Parameters {
            bytes: [0x00, 0x00, 0x1a, 0x17, 0x44],
        }
    }
}

impl Parameters {
    /// Decodes the five bytes after the head.
    pub fn from_bytes(mut bytes: [u8; 5]) -> Parameters {
        bytes[3] &= 0x1f;
        Parameters { bytes }
    }

    /// The five bytes after the head.
    pub fn bytes(&self) -> [u8; 5] {
        self.bytes
    }

    /// The module's address.
    pub fn address(&self) -> u16 {
        u16::from_be_bytes([self.bytes[0], self.bytes[1]])
    }

    /// Replaces the address.
    #[must_use]
    pub fn with_address(mut self, address: u16) -> Parameters {
        self.bytes[..2].copy_from_slice(&address.to_be_bytes());
        self
    }

    /// UART settings outside of the configuration mode.
    pub fn uart(&self) -> Uart {
        Uart {
            baud: BAUDS[usize::from(self.bytes[2] >> 3 & 7)],
            parity: match self.bytes[2] >> 6 {
                1 => Parity::Odd,
                2 => Parity::Even,
                // Both 0 and 3 are 8N1.
                _ => Parity::None,
            },
        }
    }

    /// Replaces the UART settings. An unsupported rate leaves the rate unchanged.
    #[must_use]
    pub fn with_uart(mut self, uart: Uart) -> Parameters {
        let parity = match uart.parity {
            Parity::None => 0,
            Parity::Odd => 1,
            Parity::Even => 2,
        };
        let baud = BAUDS.iter().position(|baud| *baud == uart.baud);
        let baud = baud.map_or(self.bytes[2] >> 3 & 7, |index| index as u8);
        self.bytes[2] = parity << 6 | baud << 3 | self.bytes[2] & 7;
        self
    }

    /// Supported UART rates.
    pub fn bauds() -> &'static [u32] {
        &BAUDS
    }

    /// The air data rate.
    pub fn air_rate(&self) -> AirRate {
        // Codes 6 and 7 also mean 19.2k.
        AirRate::ALL[usize::from(self.bytes[2] & 7).min(5)]
    }

    /// Replaces the air data rate.
    #[must_use]
    pub fn with_air_rate(mut self, rate: AirRate) -> Parameters {
        self.bytes[2] = self.bytes[2] & !7 | rate as u8;
        self
    }

    /// The channel, 0 to 31.
    pub fn channel(&self) -> u8 {
        self.bytes[3]
    }

    /// Replaces the channel. Only the low five bits are used.
    #[must_use]
    pub fn with_channel(mut self, channel: u8) -> Parameters {
        self.bytes[3] = channel & 0x1f;
        self
    }

    /// The channel's frequency in MHz.
    pub fn megahertz(&self) -> u16 {
        FIRST_MHZ + u16::from(self.channel())
    }

    /// True for fixed transmission: each frame begins with its destination's address and
    /// channel.
    pub fn fixed(&self) -> bool {
        self.bytes[4] & 0x80 != 0
    }

    /// Selects fixed or transparent transmission.
    #[must_use]
    pub fn with_fixed(mut self, fixed: bool) -> Parameters {
        self.bytes[4] = self.bytes[4] & 0x7f | u8::from(fixed) << 7;
        self
    }

    /// Length of the wake-up preamble, and interval at which a module in power-saving mode
    /// looks for one: 250 ms to 2 s.
    pub fn wake_up(&self) -> Duration {
        Duration::from_millis(250) * (1 + u32::from(self.bytes[4] >> 3 & 7))
    }

    /// True if forward error correction is on.
    pub fn fec(&self) -> bool {
        self.bytes[4] & 0x04 != 0
    }

    /// Turns forward error correction on or off.
    #[must_use]
    pub fn with_fec(mut self, fec: bool) -> Parameters {
        self.bytes[4] = self.bytes[4] & !0x04 | u8::from(fec) << 2;
        self
    }

    /// Transmission power in dBm.
    pub fn power_dbm(&self) -> i8 {
        POWERS[usize::from(self.bytes[4] & 3)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factorys_bytes_mean_what_the_manual_says() {
        let factory = Parameters::default();
        assert_eq!(factory.bytes(), [0x00, 0x00, 0x1a, 0x17, 0x44]);
        assert_eq!(factory.address(), 0);
        assert_eq!(factory.uart(), Uart::CONFIGURATION);
        assert_eq!(factory.air_rate(), AirRate::R2400);
        assert_eq!((factory.channel(), factory.megahertz()), (23, 433));
        assert!(!factory.fixed() && factory.fec());
        assert_eq!(factory.power_dbm(), 20);
        assert_eq!(factory.wake_up(), Duration::from_millis(250));
    }

    /// Bits of SPED and OPTION, one by one, from the manual's table.
    #[test]
    fn every_field_has_its_bits() {
        let of = |sped, option| Parameters::from_bytes([0x12, 0x34, sped, 0xff, option]);
        assert_eq!(of(0, 0).address(), 0x1234);
        // CHAN has five bits.
        assert_eq!((of(0, 0).channel(), of(0, 0).megahertz()), (31, 441));
        let rates: Vec<u32> = (0..8)
            .map(|bits| of(bits, 0).air_rate().bits_per_second())
            .collect();
        assert_eq!(
            rates,
            [300, 1_200, 2_400, 4_800, 9_600, 19_200, 19_200, 19_200]
        );
        let bauds: Vec<u32> = (0..8).map(|bits| of(bits << 3, 0).uart().baud).collect();
        assert_eq!(bauds, BAUDS);
        let parities: Vec<Parity> = (0..4).map(|bits| of(bits << 6, 0).uart().parity).collect();
        assert_eq!(
            parities,
            [Parity::None, Parity::Odd, Parity::Even, Parity::None]
        );
        let powers: Vec<i8> = (0..4).map(|bits| of(0, bits).power_dbm()).collect();
        assert_eq!(powers, [20, 17, 14, 10]);
        assert_eq!(of(0, 7 << 3).wake_up(), Duration::from_secs(2));
        assert!(of(0, 0x80).fixed() && !of(0, 0x7f).fixed());
        assert!(of(0, 0x04).fec() && !of(0, 0xfb).fec());
    }

    #[test]
    fn what_is_set_is_read_and_nothing_else_changes() {
        let odd = Parameters::from_bytes([0xff; 5]);
        for rate in AirRate::ALL {
            let set = odd.with_air_rate(rate);
            assert_eq!(set.air_rate(), rate);
            assert_eq!(set.uart(), odd.uart());
        }
        for baud in BAUDS {
            for parity in [Parity::None, Parity::Odd, Parity::Even] {
                let uart = Uart { baud, parity };
                let set = odd.with_uart(uart);
                assert_eq!((set.uart(), set.air_rate()), (uart, odd.air_rate()));
            }
        }
        let set = odd
            .with_fec(false)
            .with_fixed(false)
            .with_channel(4)
            .with_address(7);
        assert_eq!(set.bytes(), [0, 7, 0xff, 4, 0x7b]);
        assert_eq!(set.with_fec(true).with_fixed(true).bytes()[4], 0xff);
    }

    #[test]
    fn a_byte_takes_ten_bits_or_eleven() {
        assert_eq!(Uart::CONFIGURATION.byte(), Duration::from_nanos(1_041_666));
        let even = Uart {
            baud: 115_200,
            parity: Parity::Even,
        };
        assert_eq!(even.byte(), Duration::from_nanos(95_486));
    }
}
