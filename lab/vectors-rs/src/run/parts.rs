//! Parts that the implementation keeps, so that each is in memory once. They pass in pieces that fit
//! any buffer.

use super::session::{Session, Stop, expect, skip};

/// The parts.
#[derive(Clone, Copy)]
pub(super) enum Part {
    Public = 0,
    Private = 1,
    /// The ciphertext of a key encapsulation, or a signature.
    Made = 2,
}

/// Bytes beside those of a part in the inputs of `load`: the part and the offset.
const LOAD_HEAD: usize = 3;

/// The same for an offset of four bytes.
const LONG_HEAD: usize = 5;

pub(super) fn load(session: &mut Session<'_>, part: Part, bytes: &[u8]) -> Result<(), Stop> {
    let head = if bytes.len() > usize::from(u16::MAX) {
        LONG_HEAD
    } else {
        LOAD_HEAD
    };
    let largest = session.io_bytes().saturating_sub(head);
    session.needs("load", LOAD_HEAD + 1)?;
    for (number, piece) in bytes.chunks(largest.max(1)).enumerate() {
        let offset = place(number * largest);
        session.output("load", &[&[part as u8], &offset, piece], 0)?;
    }
    Ok(())
}

pub(super) fn fetch(session: &mut Session<'_>, part: Part, size: usize) -> Result<Vec<u8>, Stop> {
    let largest = session.io_bytes().max(1);
    let mut bytes = Vec::new();
    while bytes.len() < size {
        let now = largest.min(size - bytes.len());
        let (offset, count) = (place(bytes.len()), two(now)?);
        bytes.extend(session.output("fetch", &[&[part as u8], &offset, &count], now)?);
    }
    Ok(bytes)
}

/// A key pair of a seed, whose parts are those of the vector.
pub(super) fn key_pair(
    session: &mut Session<'_>,
    seed: &[u8],
    public: &[u8],
    private: &[u8],
) -> Result<(), Stop> {
    session.output("keygen", &[seed], 0)?;
    let got = fetch(session, Part::Public, public.len())?;
    expect("public key", public, &got)?;
    let got = fetch(session, Part::Private, private.len())?;
    expect("private key", private, &got)
}

/// An offset or a size in two bytes, or in four if it is above 65,535. Only an implementation with parts
/// of that size gets the latter.
pub fn place(number: usize) -> Vec<u8> {
    match u16::try_from(number) {
        Ok(number) => number.to_be_bytes().to_vec(),
        Err(_) => u32::try_from(number)
            .unwrap_or(u32::MAX)
            .to_be_bytes()
            .to_vec(),
    }
}

pub(super) fn two(number: usize) -> Result<[u8; 2], Stop> {
    let number = u16::try_from(number);
    let number = number.map_err(|_| skip("the part is larger than the protocol's sizes".into()))?;
    Ok(number.to_be_bytes())
}
