//! X25519 and other key agreements.

use super::session::{Session, Stop, expect, expect_zeros, fail};
use crate::status;

pub(super) fn shared_secret(
    session: &mut Session<'_>,
    secret: &[u8; 32],
    peer: &[u8; 32],
    shared: &[u8; 32],
) -> Result<(), Stop> {
    if shared.iter().any(|byte| *byte != 0) {
        let got = session.output("shared-secret", &[secret, peer], 32)?;
        return expect("shared secret", shared, &got);
    }
    // [RFC7748, 6.1]: the all-zero secret is refused, and the output must not leak anything.
    let outcome = session.call("shared-secret", &[secret, peer])?;
    if outcome.status != status::KEY {
        return Err(fail(
            format!("status {}", status::KEY),
            format!("status {}", outcome.status),
            "a public key of low order".into(),
        ));
    }
    expect(
        "output for a public key of low order",
        &vec![0; outcome.output.len()],
        &outcome.output,
    )
}

/// [RFC7748, 5.2]: k becomes the result, and u becomes the previous k.
pub(super) fn iterated(
    session: &mut Session<'_>,
    secret: &[u8; 32],
    peer: &[u8; 32],
    iterations: u32,
    shared: &[u8; 32],
) -> Result<(), Stop> {
    let (mut k, mut u) = (secret.to_vec(), peer.to_vec());
    for _ in 0..iterations {
        let next = session.output("shared-secret", &[&k, &u], 32)?;
        (k, u) = (next, k);
    }
    expect(&format!("after {iterations} iterations"), shared, &k)
}

pub(super) fn public_key(
    session: &mut Session<'_>,
    secret: &[u8; 32],
    public: &[u8; 32],
) -> Result<(), Stop> {
    let got = session.output("keygen", &[secret], 32)?;
    expect("public key", public, &got)
}

pub(super) fn agreement(
    session: &mut Session<'_>,
    secret: &[u8],
    peer: &[u8],
    shared: &[u8],
) -> Result<(), Stop> {
    let got = session.output("shared-secret", &[secret, peer], shared.len())?;
    expect("shared secret", shared, &got)
}

pub(super) fn refused(session: &mut Session<'_>, secret: &[u8], peer: &[u8]) -> Result<(), Stop> {
    let outcome = session.call("shared-secret", &[secret, peer])?;
    let what = "what is no public key";
    if outcome.status == status::OK {
        return Err(fail("a refusal".into(), "status 0".into(), what.into()));
    }
    expect_zeros(&format!("output for {what}"), &outcome.output)
}

pub(super) fn key_pair(
    session: &mut Session<'_>,
    secret: &[u8],
    public: &[u8],
) -> Result<(), Stop> {
    let got = session.output("keygen", &[secret], public.len())?;
    expect("public key", public, &got)
}
