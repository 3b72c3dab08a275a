//! The seal of a device's key. Key and seal are two columns: the encrypted key has the size of
//! the key in the clear, so that databases of earlier versions keep their tables.

use selo_link::{DeviceId, DeviceKey, Suite};

use crate::error::{Error, Result};
use crate::site_key::{SEAL_BYTES, SiteKey};

/// A device's key as a database stores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedKey {
    pub key: [u8; 32],
    pub seal: [u8; SEAL_BYTES],
}

/// The key belongs to this device and suite only.
fn purpose(id: DeviceId, suite: Suite) -> [u8; 27] {
    let mut purpose = *b"selo device key 1\0\0\0\0\0\0\0\0\0\0";
    purpose[18..22].copy_from_slice(&id.to_bytes());
    purpose[22] = suite.code();
    purpose
}

/// Seals the key of a device.
pub fn seal_key(site: &SiteKey, id: DeviceId, suite: Suite, key: &DeviceKey) -> Result<SealedKey> {
    let mut bytes = *key.expose();
    let seal = site.seal(&purpose(id, suite), &mut bytes)?;
    Ok(SealedKey { key: bytes, seal })
}

/// Opens the key of a device.
///
/// # Errors
/// [`Error::SealedKey`] if the row was changed by anything but Selo.
pub fn open_key(
    site: &SiteKey,
    id: DeviceId,
    suite: Suite,
    key: &[u8],
    seal: &[u8],
) -> Result<DeviceKey> {
    let damaged = || Error::SealedKey { id: id.to_string() };
    let mut bytes: [u8; 32] = key.try_into().map_err(|_| damaged())?;
    if !site.open(&purpose(id, suite), seal, &mut bytes) {
        return Err(damaged());
    }
    let key = DeviceKey::new(bytes);
    zeroize::Zeroize::zeroize(&mut bytes);
    Ok(key)
}
