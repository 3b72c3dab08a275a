//! Cookies [docs/protocol.md, Under load]: they prove that a sender receives packets at its
//! address.
//!
//! Only the gateway makes and checks cookies, and it stores nothing for them except a secret.
//! The protocol therefore defines the frames that carry a cookie, but not its construction.

use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::{DeviceId, Suite, primitives};

/// The secret that cookies are derived from. Wiped on drop; `Debug` hides it.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct CookieSecret([u8; 32]);

impl CookieSecret {
    /// Makes a secret from its bytes, which must be random.
    pub const fn new(bytes: [u8; 32]) -> Self {
        CookieSecret(bytes)
    }

    /// The cookie of a device at an address. It is a MAC: BLAKE2s with the secret as a prefix,
    /// which permits no length extension [RFC7693].
    pub fn cookie(&self, device: DeviceId, address: &[u8]) -> [u8; 8] {
        let parts = [b"Selo cookie 1", &self.0[..], &device.to_bytes(), address];
        let [a, b, c, d, e, f, g, h, ..] = primitives::hash(Suite::ChaChaPolyBlake2s, &parts);
        [a, b, c, d, e, f, g, h]
    }

    /// True if this is the cookie of the device at the address. Compares in constant time.
    pub fn verify(&self, device: DeviceId, address: &[u8], cookie: &[u8; 8]) -> bool {
        self.cookie(device, address).ct_eq(cookie).into()
    }
}

impl std::fmt::Debug for CookieSecret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("CookieSecret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_of_one_secret_device_and_address() {
        let secret = CookieSecret::new([1; 32]);
        let cookie = secret.cookie(DeviceId(7), b"here");
        assert!(secret.verify(DeviceId(7), b"here", &cookie));
        assert!(!secret.verify(DeviceId(8), b"here", &cookie));
        assert!(!secret.verify(DeviceId(7), b"there", &cookie));
        assert!(!CookieSecret::new([2; 32]).verify(DeviceId(7), b"here", &cookie));
        for bit in 0..64 {
            let mut other = cookie;
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(!secret.verify(DeviceId(7), b"here", &other), "bit {bit}");
        }
    }
}
