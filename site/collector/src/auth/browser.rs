//! The origin of a login: a browser that is recognised by its cookie, or an address.

use std::net::IpAddr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::Auth;
use super::attempts::Origin;
use super::secrets::random;
use crate::error::Result;
use selo_base::address::neighbourhood;

/// A browser is recognised for this long after a login.
pub const BROWSER_MS: i64 = 90 * 86_400_000;

impl Auth {
    /// Determines the origin of a login: the browser, if its cookie proves an earlier login to
    /// this account, else the address.
    pub fn place(
        &self,
        (address, shared): (IpAddr, bool),
        account: &str,
        cookie: Option<&str>,
        now: i64,
    ) -> Origin {
        let browser = cookie.and_then(|cookie| self.browser(account, cookie, now));
        match browser {
            Some(id) => Origin::Browser(id),
            None if shared => Origin::Shared(neighbourhood(address)),
            None => Origin::Address(neighbourhood(address)),
        }
    }

    fn browser_mac(&self, account: &str, id: &[u8], until: i64) -> Option<Hmac<Sha256>> {
        // HMAC accepts a key of any length.
        let mut mac = Hmac::<Sha256>::new_from_slice(self.browsers.as_bytes()).ok()?;
        mac.update(&until.to_be_bytes());
        mac.update(id);
        mac.update(account.as_bytes());
        Some(mac)
    }

    fn browser(&self, account: &str, cookie: &str, now: i64) -> Option<[u8; 16]> {
        let bytes = URL_SAFE_NO_PAD.decode(cookie).ok()?;
        let (until, rest) = bytes.split_first_chunk::<8>()?;
        let (id, tag) = rest.split_first_chunk::<16>()?;
        let until = i64::from_be_bytes(*until);
        if until <= now {
            return None;
        }
        let mac = self.browser_mac(account, id, until)?;
        mac.verify_slice(tag).ok()?;
        Some(*id)
    }

    /// Creates a cookie that identifies this browser at its next login to `account`. It grants no
    /// access: failed logins of this browser are only counted separately.
    pub fn browser_cookie(&self, account: &str, now: i64) -> Result<String> {
        let (id, until) = (random::<16>()?, now + BROWSER_MS);
        let mut bytes = until.to_be_bytes().to_vec();
        bytes.extend_from_slice(&id[..]);
        if let Some(mac) = self.browser_mac(account, &id[..], until) {
            bytes.extend_from_slice(&mac.finalize().into_bytes());
        }
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }
}
