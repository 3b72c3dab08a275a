//! Runs the fuzz targets on random scripts, so that they keep working without a fuzzer.

use proptest::collection::vec;
use proptest::prelude::*;
use selo_link::fuzzing;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_script_is_played(script in vec(any::<u8>(), 0..300)) {
        fuzzing::parse(&script);
        fuzzing::session(&script);
    }
}

proptest! {
    #[test]
    fn any_handshake_is_played(script in vec(any::<u8>(), 0..300)) {
        fuzzing::handshakes(&script);
    }
}
