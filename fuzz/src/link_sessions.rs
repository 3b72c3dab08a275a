//! Two sides of a session, driven by an arbitrary script.
#![no_main]

libfuzzer_sys::fuzz_target!(|script: &[u8]| selo_link::fuzzing::session(script));
