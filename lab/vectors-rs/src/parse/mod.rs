//! Parsers of the vector files' formats. None panics on any input; each error names
//! the file and the line.

mod cavp_aes;
mod cavp_ccm;
mod cavp_gcm;
mod cavp_hash;
mod kem;
mod labelled;
mod large_signature;
mod lwc_kat;
mod response;
mod sections;
mod source;
mod wycheproof;

use std::path::Path;

use serde::Deserialize;

pub(crate) use source::SourceText;

use crate::{Algorithm, Case, Error};

/// How a vector file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Format {
    /// AESAVS known answers and multi-block messages, as CAVS writes them.
    CavpAes,
    /// AESAVS Monte Carlo checkpoints.
    CavpAesMonte,
    /// SHAVS and SHA3VS messages of whole bytes. A message of odd bits is left out:
    /// the operations take bytes.
    CavpHash,
    /// SHAVS and SHA3VS Monte Carlo checkpoints.
    CavpHashMonte,
    /// GCMVS encryption with a given IV, and decryption.
    CavpGcm,
    /// CCMVS: variable sizes, and decryption verification.
    CavpCcm,
    /// Known answers of NIST's project on lightweight cryptography.
    LwcKat,
    /// Wycheproof XdhComp.
    WycheproofXdh,
    /// Wycheproof IndCpaTest for AES-CBC-PKCS5.
    WycheproofCbc,
    /// Wycheproof MacTest.
    WycheproofMac,
    /// Wycheproof AeadTest.
    WycheproofAead,
    /// Wycheproof HkdfTest.
    WycheproofHkdf,
    /// Wycheproof EcdhEcpointTest.
    WycheproofEcdh,
    /// Wycheproof EddsaVerify, and EcdsaP1363Verify over SHA-256.
    WycheproofSignature,
    /// Key encapsulations, as lab/vectors/subset-ml-kem.py writes them.
    Kem,
    /// Signatures with large keys, as lab/vectors/subset-ml-dsa.py writes them.
    LargeSignature,
    /// Labelled vectors of our own transcription, in TOML.
    Selo,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 17] = [
        Format::CavpAes,
        Format::CavpAesMonte,
        Format::CavpHash,
        Format::CavpHashMonte,
        Format::CavpGcm,
        Format::CavpCcm,
        Format::LwcKat,
        Format::WycheproofXdh,
        Format::WycheproofCbc,
        Format::WycheproofMac,
        Format::WycheproofAead,
        Format::WycheproofHkdf,
        Format::WycheproofEcdh,
        Format::WycheproofSignature,
        Format::Kem,
        Format::LargeSignature,
        Format::Selo,
    ];
}

/// The cases for an algorithm in a file's text; `path` names it in ids and messages.
pub fn cases(
    format: Format,
    path: &Path,
    text: &str,
    algorithm: Algorithm,
) -> Result<Vec<Case>, Error> {
    let place = SourceText { path, text };
    match format {
        Format::CavpAes => cavp_aes::messages(&place, algorithm),
        Format::CavpAesMonte => cavp_aes::checkpoints(&place, algorithm),
        Format::CavpHash => cavp_hash::messages(&place, algorithm),
        Format::CavpHashMonte => cavp_hash::checkpoints(&place, algorithm),
        Format::CavpGcm => cavp_gcm::cases(&place, algorithm),
        Format::CavpCcm => cavp_ccm::cases(&place, algorithm),
        Format::LwcKat => lwc_kat::cases(&place, algorithm),
        Format::WycheproofXdh => wycheproof::xdh(&place, algorithm),
        Format::WycheproofCbc => wycheproof::cbc(&place, algorithm),
        Format::WycheproofMac => wycheproof::mac(&place, algorithm),
        Format::WycheproofAead => wycheproof::aead(&place, algorithm),
        Format::WycheproofHkdf => wycheproof::hkdf(&place, algorithm),
        Format::WycheproofEcdh => wycheproof::ecdh(&place, algorithm),
        Format::WycheproofSignature => wycheproof::signature(&place, algorithm),
        Format::Kem => kem::cases(&place, algorithm),
        Format::LargeSignature => large_signature::cases(&place, algorithm),
        Format::Selo => labelled::cases(&place, algorithm),
    }
}
