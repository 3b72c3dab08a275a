//! X25519.

use super::{Session, Stop, expect, fail};
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
    // [RFC7748, 6.1]: the all-zero secret is refused, and nothing else leaks out.
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

/// [RFC7748, 5.2]: k is the result, u the k before it.
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
