//! SHA3-512 and SHAKE256 [FIPS202] of short messages, for the comparison of keys. Not constant time.

/// The rates of both in bytes, and what follows a message [FIPS202, B.2].
const RATE_512: usize = 72;
const RATE_256: usize = 136;

/// SHA3-512 of a message of less than a block.
pub(super) fn sha3_512(message: &[u8]) -> Vec<u8> {
    sponge(message, RATE_512, 0x06, 64)
}

/// SHAKE256 of a message of less than a block.
pub(super) fn shake256(message: &[u8], bytes: usize) -> Vec<u8> {
    sponge(message, RATE_256, 0x1f, bytes)
}

fn sponge(message: &[u8], rate: usize, suffix: u8, bytes: usize) -> Vec<u8> {
    let mut block = message.to_vec();
    block.resize(rate, 0);
    block[message.len()] ^= suffix;
    block[rate - 1] ^= 0x80;
    let mut state = [0u64; 25];
    for (lane, eight) in state.iter_mut().zip(block.chunks_exact(8)) {
        *lane = eight
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u64::from(*byte));
    }
    let mut out = Vec::new();
    while out.len() < bytes {
        permute(&mut state);
        out.extend(state[..rate / 8].iter().flat_map(|lane| lane.to_le_bytes()));
    }
    out.truncate(bytes);
    out
}

/// Keccak-f[1600] [FIPS202, 3.3]. Lane x, y is at x + 5 y.
fn permute(state: &mut [u64; 25]) {
    let mut constants = 1u8;
    for _ in 0..24 {
        let column = |x: usize| (0..5).fold(0, |sum, y| sum ^ state[x + 5 * y]);
        let sums: Vec<u64> = (0..5).map(column).collect();
        for (at, lane) in state.iter_mut().enumerate() {
            *lane ^= sums[(at + 4) % 5] ^ sums[(at + 1) % 5].rotate_left(1);
        }
        let (mut x, mut y, mut carried) = (1, 0, state[1]);
        for step in 1..=24 {
            (x, y) = (y, (2 * x + 3 * y) % 5);
            let rotated = carried.rotate_left(step * (step + 1) / 2 % 64);
            carried = std::mem::replace(&mut state[x + 5 * y], rotated);
        }
        for row in state.chunks_exact_mut(5) {
            let old = [row[0], row[1], row[2], row[3], row[4]];
            for x in 0..5 {
                row[x] = old[x] ^ (!old[(x + 1) % 5] & old[(x + 2) % 5]);
            }
        }
        // The bits of a round constant are those of a shift register [FIPS202, algorithm 5].
        for power in 0..7 {
            state[0] ^= u64::from(constants & 1) << ((1 << power) - 1);
            constants = (constants << 1) ^ ((constants >> 7) * 0x71);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digests of the empty message [FIPS202].
    #[test]
    fn the_digests_of_the_empty_message_are_right() {
        let digest = "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a6\
                      15b2123af1f5f94c11e3e9402c3ac558f500199d95b6d3e301758586281dcd26";
        assert_eq!(hex::encode(sha3_512(b"")), digest);
        let stream = hex::encode(shake256(b"", 32));
        assert_eq!(
            stream,
            "46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762f"
        );
    }
}
