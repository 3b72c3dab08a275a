#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| selo_fuzz_targets::exchange::run(data));
