//! Ascon-AEAD128 [SP800-232, 4] with nonce masking and a 32-byte key [docs/protocol.md,
//! Suites].

use ascon_core::State;

use super::tag::TAG_MAX;

/// Block size of text and associated data, bytes.
const RATE: usize = 16;

const IV: u64 = 0x0000_1000_808c_0001;

pub(super) fn seal(key: &[u8; 32], n: u64, ad: &[u8], text: &mut [u8]) -> [u8; TAG_MAX] {
    let mut ascon = Ascon::new(key, n, ad);
    ascon.text(text, |rate, plain| (rate ^ plain, rate ^ plain));
    ascon.tag()
}

/// Decrypts `text` and returns the expected tag of the ciphertext.
pub(super) fn open(key: &[u8; 32], n: u64, ad: &[u8], text: &mut [u8]) -> [u8; TAG_MAX] {
    let mut ascon = Ascon::new(key, n, ad);
    ascon.text(text, |rate, cipher| (cipher, rate ^ cipher));
    ascon.tag()
}

struct Ascon {
    key: [u64; 2],
    state: State,
}

impl Ascon {
    /// Initializes the state and absorbs the associated data.
    fn new(key: &[u8; 32], n: u64, ad: &[u8]) -> Self {
        let [key, mask] = [load(&key[..16]), load(&key[16..])].map(halves);
        let state = State::new(IV, key[0], key[1], n ^ mask[0], mask[1]);
        let mut ascon = Ascon { key, state };
        ascon.permute_12_and_add_key();
        if !ad.is_empty() {
            let blocks = ad.chunks_exact(RATE);
            let last = blocks.remainder();
            for block in blocks {
                ascon.set_rate(ascon.rate() ^ load(block));
                ascon.state.permute_8();
            }
            ascon.set_rate(ascon.rate() ^ load(last) ^ padding(last.len()));
            ascon.state.permute_8();
        }
        ascon.state[4] ^= 1 << 63; // domain separation
        ascon
    }

    /// Processes the text in place. `step` takes the rate and an input block. It returns the
    /// ciphertext, which becomes the new rate, and the output block.
    fn text(&mut self, text: &mut [u8], step: impl Fn(u128, u128) -> (u128, u128)) {
        let mut blocks = text.chunks_exact_mut(RATE);
        for block in blocks.by_ref() {
            let (rate, output) = step(self.rate(), load(block));
            self.set_rate(rate);
            block.copy_from_slice(&output.to_le_bytes());
            self.state.permute_8();
        }
        let last = blocks.into_remainder();
        let (rate, output) = step(self.rate(), load(last));
        let kept = padding(last.len()) - 1; // the bytes that the text has
        self.set_rate((rate & kept) | (self.rate() & !kept) ^ padding(last.len()));
        last.copy_from_slice(&output.to_le_bytes()[..last.len()]);
    }

    fn tag(mut self) -> [u8; TAG_MAX] {
        self.state[2] ^= self.key[0];
        self.state[3] ^= self.key[1];
        self.permute_12_and_add_key();
        join([self.state[3], self.state[4]]).to_le_bytes()
    }

    fn permute_12_and_add_key(&mut self) {
        self.state.permute_12();
        self.state[3] ^= self.key[0];
        self.state[4] ^= self.key[1];
    }

    fn rate(&self) -> u128 {
        join([self.state[0], self.state[1]])
    }

    fn set_rate(&mut self, rate: u128) {
        [self.state[0], self.state[1]] = halves(rate);
    }
}

/// Up to 16 bytes as a little-endian number.
fn load(bytes: &[u8]) -> u128 {
    let mut block = [0; RATE];
    block[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(block)
}

/// The padding bit after `bytes` bytes, fewer than 16 [SP800-232, 2.1].
fn padding(bytes: usize) -> u128 {
    1 << (8 * bytes)
}

fn halves(block: u128) -> [u64; 2] {
    [block as u64, (block >> 64) as u64]
}

fn join([low, high]: [u64; 2]) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

impl Drop for Ascon {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.key); // the state wipes itself
    }
}
