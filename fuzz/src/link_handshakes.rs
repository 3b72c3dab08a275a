//! A gateway and a node in their handshakes, given arbitrary packets.
#![no_main]

libfuzzer_sys::fuzz_target!(|script: &[u8]| selo_link::fuzzing::handshakes(script));
