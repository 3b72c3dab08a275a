//! Key encapsulation. The implementation keeps its keys and its ciphertext, so that each is in
//! memory once; they pass in pieces that fit any buffer.

use super::parts::{Part, fetch, load, two};
use super::session::{Session, Stop, expect, fail};
use crate::status;

/// Bytes of a shared secret.
const SECRET: usize = 32;

/// Sizes of pieces in turn, besides the largest possible. No state may depend on where they end.
const PIECES: [usize; 5] = [1, 58, 3, 64, 47];

/// `outputs` are ciphertext and secret.
pub(super) fn encapsulate(
    session: &mut Session<'_>,
    public: &[u8],
    random: &[u8],
    outputs: [&[u8]; 2],
) -> Result<(), Stop> {
    let [ciphertext, secret] = outputs;
    if streams(session) {
        encapsulate_in_pieces(session, public, random, outputs)?;
        if !session.has("encapsulate") {
            return Ok(());
        }
    }
    session.needs("encapsulate", SECRET)?;
    load(session, Part::Public, public)?;
    let got = session.output("encapsulate", &[random], SECRET)?;
    expect("shared secret", secret, &got)?;
    let got = fetch(session, Part::Made, ciphertext.len())?;
    expect("ciphertext", ciphertext, &got)
}

pub(super) fn decapsulate(
    session: &mut Session<'_>,
    private: &[u8],
    ciphertext: &[u8],
    secret: &[u8],
) -> Result<(), Stop> {
    session.needs("decapsulate", SECRET)?;
    load(session, Part::Private, private)?;
    load(session, Part::Made, ciphertext)?;
    let got = session.output("decapsulate", &[], SECRET)?;
    expect("shared secret", secret, &got)
}

pub(super) fn decapsulate_seed(
    session: &mut Session<'_>,
    seed: &[u8],
    ciphertext: &[u8],
    secret: &[u8],
) -> Result<(), Stop> {
    session.needs("decapsulate", SECRET)?;
    session.output("keygen", &[seed], 0)?;
    load(session, Part::Made, ciphertext)?;
    let got = session.output("decapsulate", &[], SECRET)?;
    expect("shared secret", secret, &got)
}

pub(super) fn encapsulate_refused(
    session: &mut Session<'_>,
    public: &[u8],
    random: &[u8],
) -> Result<(), Stop> {
    let accepted = || {
        fail(
            "a refusal".into(),
            "status 0".into(),
            "no public key".into(),
        )
    };
    if streams(session) {
        session.output("start", &[random], 0)?;
        update(session, public)?;
        read_first(session, public.len())?;
        if update_status(session, public)? == status::OK {
            return Err(accepted());
        }
        if !session.has("encapsulate") {
            return Ok(());
        }
    }
    session.needs("encapsulate", SECRET)?;
    load(session, Part::Public, public)?;
    match session.call("encapsulate", &[random])?.status {
        status::OK => Err(accepted()),
        _ => Ok(()),
    }
}

pub(super) fn private_refused(session: &mut Session<'_>, private: &[u8]) -> Result<(), Stop> {
    session.needs("check", 0)?;
    load(session, Part::Private, private)?;
    match session.call("check", &[])?.status {
        status::OK => Err(fail(
            "a refusal".into(),
            "status 0".into(),
            "no private key".into(),
        )),
        _ => Ok(()),
    }
}

// ---- In pieces ----

fn streams(session: &Session<'_>) -> bool {
    let operations = ["start", "update", "read", "finish"];
    operations.iter().all(|operation| session.has(operation))
}

fn encapsulate_in_pieces(
    session: &mut Session<'_>,
    public: &[u8],
    random: &[u8],
    [ciphertext, secret]: [&[u8]; 2],
) -> Result<(), Stop> {
    session.output("start", &[random], 0)?;
    update(session, public)?;
    let mut got = read_first(session, public.len())?;
    update(session, public)?;
    got.extend(read(session, ciphertext.len().saturating_sub(got.len()))?);
    expect("ciphertext", ciphertext, &got)?;
    let got = session.output("finish", &[], SECRET)?;
    expect("shared secret", secret, &got)
}

fn update(session: &mut Session<'_>, key: &[u8]) -> Result<(), Stop> {
    match update_status(session, key)? {
        status::OK => Ok(()),
        refused => Err(fail(
            "status 0".into(),
            format!("status {refused}"),
            "`update` refused".into(),
        )),
    }
}

/// The first status that is not 0, or 0.
fn update_status(session: &mut Session<'_>, key: &[u8]) -> Result<u8, Stop> {
    let mut rest = key;
    for size in sizes(session.io_bytes()) {
        let (now, later) = rest.split_at(size.min(rest.len()));
        let status = session.call("update", &[now])?.status;
        if status != status::OK || later.is_empty() {
            return Ok(status);
        }
        rest = later;
    }
    Ok(status::OK)
}

/// The first part of the ciphertext: the vector u, of rank polynomials.
fn read_first(session: &mut Session<'_>, public_bytes: usize) -> Result<Vec<u8>, Stop> {
    let rank = public_bytes / 384;
    let bits_of_u = if rank == 4 { 11 } else { 10 };
    read(session, rank * 256 * bits_of_u / 8)
}

fn read(session: &mut Session<'_>, size: usize) -> Result<Vec<u8>, Stop> {
    let mut bytes = Vec::new();
    for piece in sizes(session.io_bytes()) {
        if bytes.len() == size {
            break;
        }
        let now = piece.min(size - bytes.len());
        bytes.extend(session.output("read", &[&two(now)?], now)?);
    }
    Ok(bytes)
}

fn sizes(largest: usize) -> impl Iterator<Item = usize> {
    let largest = largest.max(1);
    let sizes = std::iter::once(largest).chain(PIECES).cycle();
    sizes.map(move |size| size.min(largest))
}
