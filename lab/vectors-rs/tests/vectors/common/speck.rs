//! Speck128 with keys of 2, 3 or 4 words [SPECK2013], in the byte order of [SPECKGUIDE, 2].

pub struct Speck {
    round_keys: Vec<u64>,
}

fn round(x: &mut u64, y: &mut u64, key: u64) {
    *x = x.rotate_right(8).wrapping_add(*y) ^ key;
    *y = y.rotate_left(3) ^ *x;
}

fn words(bytes: &[u8]) -> Vec<u64> {
    bytes
        .chunks_exact(8)
        .map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes")))
        .collect()
}

impl Speck {
    pub fn new(key: &[u8]) -> Speck {
        let words = words(key);
        let (mut k, mut l) = (words[0], words[1..].to_vec());
        let rounds = 30 + words.len() as u64;
        let mut round_keys = Vec::new();
        for i in 0..rounds {
            round_keys.push(k);
            let index = i as usize % l.len();
            // The key schedule is the round function with the counter as its key.
            round(&mut l[index], &mut k, i);
        }
        Speck { round_keys }
    }

    pub fn encrypt(&self, block: [u8; 16]) -> [u8; 16] {
        let words = words(&block);
        let (mut y, mut x) = (words[0], words[1]);
        for key in &self.round_keys {
            round(&mut x, &mut y, *key);
        }
        join(y, x)
    }

    pub fn decrypt(&self, block: [u8; 16]) -> [u8; 16] {
        let words = words(&block);
        let (mut y, mut x) = (words[0], words[1]);
        for key in self.round_keys.iter().rev() {
            y = (y ^ x).rotate_right(3);
            x = (x ^ key).wrapping_sub(y).rotate_left(8);
        }
        join(y, x)
    }
}

fn join(low: u64, high: u64) -> [u8; 16] {
    let mut block = [0; 16];
    block[..8].copy_from_slice(&low.to_le_bytes());
    block[8..].copy_from_slice(&high.to_le_bytes());
    block
}
