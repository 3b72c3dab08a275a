#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| selo_gateway::head::fuzzing::run(data));
