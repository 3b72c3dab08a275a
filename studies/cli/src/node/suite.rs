//! The suites, as the command line, the link and the device library name them.

use selo_base::report::{Context, machine};
use selo_sys::node::Suite;

/// The suites, as the link names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum SuiteName {
    #[value(name = "aesgcm-sha3-256")]
    AesGcmSha3,
    #[value(name = "chachapoly-blake2s")]
    ChaChaPolyBlake2s,
    #[value(name = "aesgcm-sha256")]
    AesGcmSha256,
    Ascon,
}

impl SuiteName {
    pub(super) fn suite(self) -> Suite {
        match self {
            SuiteName::AesGcmSha3 => Suite::AesGcmSha3_256,
            SuiteName::ChaChaPolyBlake2s => Suite::ChaChaPolyBlake2s,
            SuiteName::AesGcmSha256 => Suite::AesGcmSha256,
            SuiteName::Ascon => Suite::Ascon,
        }
    }
}

pub(super) fn device_suite(suite: Suite) -> selo_base::report::Result<selo_link::Suite> {
    selo_link::Suite::try_from(suite.code()).map_err(machine)
}

pub(super) fn node_suite(suite: selo_link::Suite) -> selo_base::report::Result<Suite> {
    Suite::from_code(suite.code()).context("the device library does not support the suite")
}
