//! The vectors of a trial.

use selo_vectors::{Case, CaseKind, Direction};

use crate::algorithm::Algorithm;
use crate::error::Result;
use crate::interface::Interface;
use crate::measure::Lab;

/// Cases of each direction in a trial.
const CASES: usize = 3;

/// Cases that a signature scheme with large keys must refuse: one of each fault, and more.
const REFUSED: usize = 12;

/// Blocks of the longest case of a trial.
const HEAVIEST: u32 = 12;

/// A few short cases, of both directions where the algorithm has them. Of each direction, one
/// tells a mode from single blocks, and one tells who pads a message of CBC, if any case does.
pub(super) fn cases(lab: &Lab<'_>, algorithm: &Algorithm) -> Result<Vec<Case>> {
    let mut chosen: Vec<Case> = Vec::new();
    let mut telling: [Option<Case>; 3] = [None, None, None];
    let mut padded: [Option<Case>; 3] = [None, None, None];
    let mut count = [0; 3];
    for set in lab.catalog.sets_for(&algorithm.name) {
        let cases = set.cases(&algorithm.name)?;
        for case in selo_vectors::stratified(&cases, 24) {
            let Some(place) = place_of(case) else {
                continue;
            };
            let most = match place == 2 && algorithm.interface == Interface::LargeSignature {
                true => REFUSED,
                false => CASES,
            };
            if case.weight <= HEAVIEST && count[place] < most {
                count[place] += 1;
                chosen.push(case.clone());
            }
        }
        for case in cases.iter().filter(|case| case.weight <= HEAVIEST) {
            let Some(place) = place_of(case) else {
                continue;
            };
            if tells(algorithm, case) {
                telling[place].get_or_insert_with(|| case.clone());
            }
            if is_padded(case) {
                padded[place].get_or_insert_with(|| case.clone());
            }
        }
    }
    add_missing(&mut chosen, telling, |case| tells(algorithm, case));
    add_missing(&mut chosen, padded, is_padded);
    Ok(chosen)
}

/// True for a message of CBC that ends within a block: it tells who adds the padding.
fn is_padded(case: &Case) -> bool {
    matches!(&case.kind, CaseKind::CbcPadded { input, .. } if input.len() % 16 != 0)
}

/// Adds the case of each direction of which no case of its kind is chosen.
fn add_missing(
    chosen: &mut Vec<Case>,
    found: [Option<Case>; 3],
    is_of_kind: impl Fn(&Case) -> bool,
) {
    for (place, case) in found.into_iter().enumerate() {
        let known = |other: &Case| place_of(other) == Some(place) && is_of_kind(other);
        if !chosen.iter().any(known) {
            chosen.extend(case);
        }
    }
}

/// The direction of a case: 0 forwards, 1 back, 2 what must be refused; `None` for cases that a
/// trial does not run.
pub(super) fn place_of(case: &Case) -> Option<usize> {
    Some(match &case.kind {
        CaseKind::Blocks { direction, .. }
        | CaseKind::CbcUnpadded { direction, .. }
        | CaseKind::CbcPadded { direction, .. }
        | CaseKind::Ctr { direction, .. } => match direction {
            Direction::Encrypt => 0,
            Direction::Decrypt => 1,
        },
        CaseKind::Hash { .. } | CaseKind::Mac { valid: true, .. } => 0,
        CaseKind::AeadSeal { .. } => 0,
        CaseKind::AeadOpen { .. } => 1,
        CaseKind::SharedSecret { .. } | CaseKind::Agreement { .. } => 0,
        CaseKind::PublicKey { .. } | CaseKind::KeyPair { .. } => 1,
        CaseKind::AgreementRefused { .. } => 2,
        CaseKind::Sign { .. } => 0,
        CaseKind::Verify { valid: true, .. } => 1,
        CaseKind::Verify { valid: false, .. } => 2,
        CaseKind::KemKeyPair { .. } | CaseKind::Encapsulate { .. } => 0,
        CaseKind::LargeKeyPair { .. } | CaseKind::LargeSign { .. } => 0,
        CaseKind::LargeVerify { valid: true, .. } => 1,
        CaseKind::LargeVerify { valid: false, .. } => 2,
        CaseKind::Decapsulate { .. } => 1,
        CaseKind::EncapsulateRefused { .. } => 2,
        _ => return None,
    })
}

/// True if a case tells what others may not: a mode from single blocks, or, of an authenticated
/// cipher, whether the usual nonce and a message that is not empty are taken.
pub(super) fn tells(algorithm: &Algorithm, case: &Case) -> bool {
    match &case.kind {
        CaseKind::AeadSeal { message, .. } | CaseKind::AeadOpen { message, .. } => {
            let usual = u32::try_from(message.nonce.len()).ok() == algorithm.nonce_bytes;
            usual && !message.plaintext.is_empty()
        }
        _ => tells_modes(case),
    }
}

/// True if a function for single blocks, or one that ignores the IV, cannot pass the case by
/// chance: with an IV of zeros and one block, each mode gives what the block cipher gives.
fn tells_modes(case: &Case) -> bool {
    match &case.kind {
        CaseKind::Blocks { input, .. } => input.len() > 16,
        CaseKind::CbcUnpadded { input, iv, .. } | CaseKind::CbcPadded { input, iv, .. } => {
            input.len() > 16 && iv.iter().any(|byte| *byte != 0)
        }
        CaseKind::Ctr { input, counter, .. } => {
            input.len() > 16 && counter.iter().any(|byte| *byte != 0)
        }
        CaseKind::Hash {
            message, repeat: 1, ..
        } => message.len() > 64,
        _ => false,
    }
}
