//! HKDF.

use super::session::{Session, Stop, expect, expect_zeros, fail, skip};
use crate::status;

/// `inputs` are salt, input key and info.
pub(super) fn derive(
    session: &mut Session<'_>,
    inputs: [&[u8]; 3],
    okm: &[u8],
) -> Result<(), Stop> {
    let [salt, ikm, info] = inputs;
    let size = u16::try_from(okm.len())
        .map_err(|_| skip(format!("`derive` has no size of {} bytes", okm.len())))?;
    let size = size.to_be_bytes();
    let got = session.output("derive", &[salt, ikm, info, &size], okm.len())?;
    expect("key", okm, &got)
}

pub(super) fn refused(
    session: &mut Session<'_>,
    inputs: [&[u8]; 3],
    bytes: u16,
) -> Result<(), Stop> {
    let [salt, ikm, info] = inputs;
    // Buffers that are too small would refuse for another reason.
    session.needs("derive", bytes.into())?;
    let outcome = session.call("derive", &[salt, ikm, info, &bytes.to_be_bytes()])?;
    let what = format!("`derive` of {bytes} bytes");
    if outcome.status == status::OK {
        return Err(fail("a refusal".into(), "status 0".into(), what));
    }
    expect_zeros(&format!("output of {what}"), &outcome.output)
}
