//! Quantities computed from a row.

use super::record::Row;
use super::times::{Stamps, TlsTimes};

/// One quantity of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Figure {
    /// Equations (1) to (5) of [ferreira2020].
    ClientEncrypt,
    ServerEncrypt,
    ClientDecrypt,
    ServerDecrypt,
    Transmission,
    /// From t0 to t7.
    Total,
    /// The share of encryption and decryption, at both ends, in the total.
    Share,
    Handshake,
    Exchange,
    HandshakeCpu,
    /// The client's instructions, in millions.
    HandshakeInstructions,
    ExchangeInstructions,
    /// Cycles by a cycle model, in millions.
    HandshakeCycles,
    ExchangeCycles,
    EncryptInstructions,
    DecryptInstructions,
    /// Encryption and decryption together.
    CipherInstructions,
}

impl Figure {
    pub const ALL: [Figure; 17] = [
        Figure::ClientEncrypt,
        Figure::ServerDecrypt,
        Figure::ServerEncrypt,
        Figure::ClientDecrypt,
        Figure::Transmission,
        Figure::Total,
        Figure::Share,
        Figure::Handshake,
        Figure::Exchange,
        Figure::HandshakeCpu,
        Figure::HandshakeInstructions,
        Figure::ExchangeInstructions,
        Figure::HandshakeCycles,
        Figure::ExchangeCycles,
        Figure::EncryptInstructions,
        Figure::DecryptInstructions,
        Figure::CipherInstructions,
    ];

    /// Returns true if the figure belongs to the experiment with TLS.
    pub fn is_of_tls(self) -> bool {
        matches!(
            self,
            Figure::Handshake
                | Figure::Exchange
                | Figure::HandshakeCpu
                | Figure::HandshakeInstructions
                | Figure::ExchangeInstructions
                | Figure::HandshakeCycles
                | Figure::ExchangeCycles
        )
    }

    /// True if the figure is a count of instructions or modelled cycles. Unlike a time, a count is
    /// as valid from an emulator as from a machine.
    pub fn is_counted(self) -> bool {
        matches!(
            self,
            Figure::HandshakeInstructions
                | Figure::ExchangeInstructions
                | Figure::HandshakeCycles
                | Figure::ExchangeCycles
                | Figure::EncryptInstructions
                | Figure::DecryptInstructions
                | Figure::CipherInstructions
        )
    }

    pub fn name(self) -> &'static str {
        match self {
            Figure::ClientEncrypt => "client-encrypt",
            Figure::ServerEncrypt => "server-encrypt",
            Figure::ClientDecrypt => "client-decrypt",
            Figure::ServerDecrypt => "server-decrypt",
            Figure::Transmission => "transmission",
            Figure::Total => "total",
            Figure::Share => "share",
            Figure::Handshake => "handshake",
            Figure::Exchange => "exchange",
            Figure::HandshakeCpu => "handshake-cpu",
            Figure::HandshakeInstructions => "handshake-instructions",
            Figure::ExchangeInstructions => "exchange-instructions",
            Figure::HandshakeCycles => "handshake-modelled-cycles",
            Figure::ExchangeCycles => "exchange-modelled-cycles",
            Figure::EncryptInstructions => "client-encrypt-instructions",
            Figure::DecryptInstructions => "client-decrypt-instructions",
            Figure::CipherInstructions => "client-instructions",
        }
    }

    pub fn by_name(name: &str) -> Option<Figure> {
        Figure::ALL.into_iter().find(|figure| figure.name() == name)
    }

    /// The figure of a row, if the row has it: a time in seconds, a share in per cent, a count in
    /// millions.
    pub fn of(self, row: &Row) -> Option<f64> {
        if self.is_of_tls() {
            return self.of_tls(row.tls.as_ref()?);
        }
        let stamps = row.stamps.as_ref()?;
        match self {
            Figure::EncryptInstructions => Some(millions(stamps.instructions?.encrypt)),
            Figure::DecryptInstructions => Some(millions(stamps.instructions?.decrypt)),
            Figure::CipherInstructions => {
                let counted = stamps.instructions?;
                Some(millions(counted.encrypt + counted.decrypt))
            }
            _ => self.of_stamps(stamps),
        }
    }

    fn of_tls(self, tls: &TlsTimes) -> Option<f64> {
        Some(match self {
            Figure::Handshake => seconds(tls.handshake),
            Figure::Exchange => seconds(tls.exchange),
            // Zero means that the client has no clock.
            Figure::HandshakeCpu if tls.handshake_cpu == 0 => return None,
            Figure::HandshakeCpu => seconds(tls.handshake_cpu),
            Figure::HandshakeInstructions => millions(tls.instructions?.handshake),
            Figure::ExchangeInstructions => millions(tls.instructions?.exchange),
            Figure::HandshakeCycles => millions(tls.cycles?.handshake),
            Figure::ExchangeCycles => millions(tls.cycles?.exchange),
            _ => return None,
        })
    }

    /// Equations (1) to (5) of [ferreira2020].
    fn of_stamps(self, t: &Stamps) -> Option<f64> {
        let client_encrypt = t.t1;
        let client_decrypt = t.t7.checked_sub(t.t6)?;
        let server_encrypt = t.t5_less_t2.checked_sub(t.t4_less_t2)?;
        let server_decrypt = t.t3_less_t2;
        let computing = client_encrypt + client_decrypt + server_encrypt + server_decrypt;
        let waiting = t.t6.checked_sub(t.t1)?.checked_sub(t.t5_less_t2)?;
        Some(match self {
            Figure::ClientEncrypt => seconds(client_encrypt),
            Figure::ServerEncrypt => seconds(server_encrypt),
            Figure::ClientDecrypt => seconds(client_decrypt),
            Figure::ServerDecrypt => seconds(server_decrypt),
            Figure::Transmission => seconds(waiting) / 2.0,
            Figure::Share => 100.0 * computing as f64 / t.t7.max(1) as f64,
            _ => seconds(t.t7),
        })
    }
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

fn millions(count: u64) -> f64 {
    count as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::record::tests::sample;

    /// Equations (1) to (5) by hand: enc 100 and 100, dec 120 and 90, (800 - 200) / 2.
    #[test]
    fn equations_of_the_paper() {
        let row = sample("aes-128-cbc", 0, 100);
        let of = |figure: Figure| figure.of(&row).expect("it has stamps") * 1e9;
        assert!((of(Figure::ClientEncrypt) - 100.0).abs() < 1e-6);
        assert!((of(Figure::ServerEncrypt) - 100.0).abs() < 1e-6);
        assert!((of(Figure::ClientDecrypt) - 120.0).abs() < 1e-6);
        assert!((of(Figure::ServerDecrypt) - 90.0).abs() < 1e-6);
        assert!((of(Figure::Transmission) - 300.0).abs() < 1e-6);
        assert!((of(Figure::Total) - 1020.0).abs() < 1e-6);
        let share = Figure::Share.of(&row).expect("it has stamps");
        assert!((share - 100.0 * 410.0 / 1020.0).abs() < 1e-9);
        assert_eq!(Figure::Handshake.of(&row), None);
        for figure in Figure::ALL {
            assert_eq!(Figure::by_name(figure.name()), Some(figure));
        }
    }
}
