//! The permutation of Ascon, which all versions share.

/// The Ascon permutation with this number of rounds [SP800-232, 3].
pub(super) fn permute(state: &mut [u64; 5], rounds: u8) {
    for round in 12 - rounds..12 {
        let [mut x0, mut x1, mut x2, mut x3, mut x4] = *state;
        x2 ^= u64::from(0xf0 - round * 0x0f);
        x0 ^= x4;
        x4 ^= x3;
        x2 ^= x1;
        let [t0, t1, t2, t3, t4] = [!x0 & x1, !x1 & x2, !x2 & x3, !x3 & x4, !x4 & x0];
        x0 ^= t1;
        x1 ^= t2;
        x2 ^= t3;
        x3 ^= t4;
        x4 ^= t0;
        x1 ^= x0;
        x0 ^= x4;
        x3 ^= x2;
        x2 = !x2;
        *state = [
            x0 ^ x0.rotate_right(19) ^ x0.rotate_right(28),
            x1 ^ x1.rotate_right(61) ^ x1.rotate_right(39),
            x2 ^ x2.rotate_right(1) ^ x2.rotate_right(6),
            x3 ^ x3.rotate_right(10) ^ x3.rotate_right(17),
            x4 ^ x4.rotate_right(7) ^ x4.rotate_right(41),
        ];
    }
}
