#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| selo_link::fuzzing::session(data));
