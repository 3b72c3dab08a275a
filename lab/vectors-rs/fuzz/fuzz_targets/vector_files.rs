//! The first two bytes choose format and algorithm, the rest is the file: parsing must
//! not panic, and every case must be runnable. The implementation answers with zeros.
#![no_main]

use libfuzzer_sys::fuzz_target;
use selo_vectors::parse::{self, Format};
use selo_vectors::{Algorithm, CallError, Implementation, CallOutput};

struct Zeros;

impl Implementation for Zeros {
    fn has(&self, _: &str) -> bool {
        true
    }
    fn io_bytes(&self) -> usize {
        64
    }
    fn call(&mut self, _: &str, inputs: &[&[u8]]) -> Result<CallOutput, CallError> {
        let bytes = inputs.iter().map(|input| input.len()).sum();
        Ok(CallOutput {
            status: 0,
            output: vec![0; bytes],
        })
    }
}

fuzz_target!(|data: &[u8]| {
    let [format, algorithm, text @ ..] = data else {
        return;
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let format = Format::ALL[usize::from(*format) % Format::ALL.len()];
    let algorithms: Vec<_> = Algorithm::all().collect();
    let algorithm = algorithms[usize::from(*algorithm) % algorithms.len()];
    let Ok(cases) = parse::cases(format, "fuzz".as_ref(), text, algorithm) else {
        return;
    };
    for case in cases.iter().filter(|case| case.weight < 10_000) {
        case.run(&mut Zeros).expect("it never refuses a call");
    }
});
