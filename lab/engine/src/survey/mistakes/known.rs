//! The known mistakes of implementers of AES.

use crate::survey::aes::Slip;

/// The part of the cipher with the mistake: the key schedule, the rounds, or the way bytes are
/// passed. It decides the finding's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    KeySchedule,
    Rounds,
    Call,
}

/// A mistake, with a description for the title.
pub(super) struct Mistake {
    pub part: Part,
    pub words: &'static str,
    /// The section of [FIPS197] with the correct definition.
    pub section: &'static str,
    pub slip: Slip,
}

const fn mistake(part: Part, section: &'static str, slip: Slip, words: &'static str) -> Mistake {
    Mistake {
        part,
        words,
        section,
        slip,
    }
}

pub(super) const MISTAKES: [Mistake; 25] = [
    mistake(
        Part::KeySchedule,
        "5.2",
        Slip::NoMiddleSubstitution,
        "the substitution in the middle of each 256-bit round of the schedule is missing",
    ),
    mistake(
        Part::KeySchedule,
        "5.2",
        Slip::MiddleSubstitutionAlways,
        "the extra substitution of 256-bit keys is also done for this key",
    ),
    mistake(
        Part::KeySchedule,
        "5.2",
        Slip::NoRotation,
        "the word is not rotated",
    ),
    mistake(
        Part::KeySchedule,
        "5.2",
        Slip::RotateRight,
        "the word is rotated the wrong way",
    ),
    mistake(
        Part::KeySchedule,
        "5.2",
        Slip::NoRoundConstant,
        "the round constant is missing",
    ),
    mistake(
        Part::KeySchedule,
        "5.2",
        Slip::UnreducedConstant,
        "the round constant after 0x80 is not reduced to 0x1b",
    ),
    mistake(
        Part::KeySchedule,
        "5.2",
        Slip::ConstantsFrom(2),
        "the round constants are off by one: they begin with 2, not with 1",
    ),
    mistake(
        Part::KeySchedule,
        "5.2",
        Slip::ConstantsFrom(0),
        "the round constants are off by one: they begin with 0, not with 1",
    ),
    mistake(
        Part::KeySchedule,
        "5.2",
        Slip::ConstantsFrom(0x8d),
        "the round constants are off by one: they begin with 0x8d, not with 1",
    ),
    mistake(
        Part::KeySchedule,
        "5.2",
        Slip::WrongLastConstant,
        "the last round constant is wrong by one bit",
    ),
    mistake(
        Part::KeySchedule,
        "5.2",
        Slip::NoSubstitutionInSchedule,
        "the substitution of the rotated word is missing",
    ),
    mistake(
        Part::Rounds,
        "5, Figure 4",
        Slip::TenRounds,
        "ten rounds for every key size",
    ),
    mistake(
        Part::Rounds,
        "5, Figure 4",
        Slip::OneRoundLess,
        "one round is missing",
    ),
    mistake(
        Part::Rounds,
        "5.1.2",
        Slip::NoShiftRows,
        "ShiftRows is missing",
    ),
    mistake(
        Part::Rounds,
        "5.1.2",
        Slip::ShiftRowsRight,
        "ShiftRows goes the wrong way",
    ),
    mistake(
        Part::Rounds,
        "5.1.2",
        Slip::ExchangedRows,
        "ShiftRows exchanges rows: row 1 is shifted by 2 bytes and row 2 by 1",
    ),
    mistake(
        Part::Rounds,
        "5.1.3",
        Slip::NoMixColumns,
        "MixColumns is missing",
    ),
    mistake(
        Part::Rounds,
        "5.1.3",
        Slip::MixInLast,
        "MixColumns is also done in the last round",
    ),
    mistake(
        Part::Rounds,
        "5.1.4",
        Slip::NoWhitening,
        "the first round key is not added",
    ),
    mistake(
        Part::Rounds,
        "5.1.1",
        Slip::InverseBox,
        "the inverse S-box is used",
    ),
    mistake(
        Part::Call,
        "3.4",
        Slip::BlockReversed,
        "the bytes of the block are in reverse order",
    ),
    mistake(
        Part::Call,
        "3.4",
        Slip::BlockTransposed,
        "the block is filled by rows, not by columns",
    ),
    mistake(
        Part::Call,
        "3.4",
        Slip::KeyReversed,
        "the bytes of the key are in reverse order",
    ),
    mistake(
        Part::Call,
        "5.2",
        Slip::KeyTransposed,
        "the key is filled by rows, not by columns",
    ),
    mistake(
        Part::Call,
        "5.1",
        Slip::SwappedDirection,
        "encryption and decryption are swapped",
    ),
];
