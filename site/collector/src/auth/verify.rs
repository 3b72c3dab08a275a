//! Password verification in reusable memory.
//!
//! A computation takes 19 MiB. An allocator that serves many threads keeps the memory that each
//! thread freed. The few simultaneous computations therefore share a few buffers.

use std::sync::{Mutex, PoisonError};

use argon2::password_hash::{Output, PasswordHash};
use argon2::{Algorithm, Argon2, Block, Params, Version};

use super::gate::AT_ONCE;

/// Buffers that are not in use.
static BUFFERS: Mutex<Vec<Vec<Block>>> = Mutex::new(Vec::new());

/// Longest hash that is compared, in bytes.
const HASH_MAX: usize = 64;

/// Returns true if `hash`, a PHC string, matches this password.
pub(super) fn is_of(password: &[u8], hash: &str) -> bool {
    let Ok(hash) = PasswordHash::new(hash) else {
        return false;
    };
    let (Some(expected), Some(computed)) = (hash.hash, compute(password, &hash)) else {
        return false;
    };
    // Constant-time comparison.
    expected == computed
}

fn compute(password: &[u8], hash: &PasswordHash<'_>) -> Option<Output> {
    let algorithm = Algorithm::try_from(hash.algorithm).ok()?;
    let version = match hash.version {
        Some(version) => Version::try_from(version).ok()?,
        None => Version::default(),
    };
    let params = Params::try_from(hash).ok()?;
    let mut salt = [0; 64];
    let salt = hash.salt?.decode_b64(&mut salt).ok()?;
    let mut out = [0; HASH_MAX];
    let out = out.get_mut(..hash.hash?.len())?;

    let argon2 = Argon2::new(algorithm, version, params);
    let count = argon2.params().block_count();
    let mut buffer = take();
    buffer.resize(count, Block::default());
    let done = argon2.hash_password_into_with_memory(password, salt, out, &mut buffer[..]);
    buffer.fill(Block::default());
    give_back(buffer);
    done.ok()?;
    Output::new(out).ok()
}

fn take() -> Vec<Block> {
    let mut buffers = BUFFERS.lock().unwrap_or_else(PoisonError::into_inner);
    buffers.pop().unwrap_or_default()
}

fn give_back(buffer: Vec<Block>) {
    let mut buffers = BUFFERS.lock().unwrap_or_else(PoisonError::into_inner);
    if buffers.len() < AT_ONCE {
        buffers.push(buffer);
    }
}

#[cfg(test)]
mod tests {
    use argon2::password_hash::{PasswordHasher, SaltString};

    use super::*;

    #[test]
    fn a_password_is_of_its_hash_alone() {
        let salt = SaltString::encode_b64(b"0123456789abcdef").expect("a salt");
        let argon2 = crate::auth::users::argon2();
        let hash = argon2
            .hash_password(b"secret", &salt)
            .expect("a hash")
            .to_string();
        assert!(is_of(b"secret", &hash));
        for wrong in [&b"Secret"[..], b"secret ", b""] {
            assert!(!is_of(wrong, &hash));
        }
        for bad in [
            "",
            "$argon2id$",
            "$scrypt$ln=1$AAAA$AAAA",
            &hash[..hash.len() - 10],
        ] {
            assert!(!is_of(b"secret", bad), "{bad}");
        }
        assert!(BUFFERS.lock().expect("whole").len() <= AT_ONCE);
    }
}
