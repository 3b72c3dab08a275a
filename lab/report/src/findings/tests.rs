use super::papers::geometric_mean;
use super::*;
use crate::sample;
use selo_engine::row::Metric;

#[test]
fn findings_are_derived_and_at_most_ten() {
    let (rows, context) = (sample::rows(), sample::context());
    let lines = Lines::new(&rows, &context);
    let found = findings(&lines, &[], &sample::checks());
    assert!(found.len() <= MOST);
    assert_eq!(
        found,
        [
            "Arduino Uno R3: 50 figures of 5 implementations (simavr, cycle-exact).",
            "Block ciphers, one block, encrypt: speck128/128 fast is fastest of 4 with 2,600 cycles, 0.162 ms, 0.226 nWh (the slowest takes 4.62× as long); least flash: speck128/128 fast (900 bytes); least static RAM: aes-128 small (16 bytes).",
            "Block ciphers, one block, decrypt: speck128/128 fast is fastest of 3 with 3,900 cycles, 0.244 ms, 0.339 nWh (the slowest takes 3.46× as long); least flash: speck128/128 fast (1,102 bytes); least static RAM: aes-128 small (16 bytes).",
            "Key agreement: x25519 small takes 43,000,000 cycles for shared-secret.",
            "Constant time: 1 implementation over 1,000 random secrets; all always took the same number of cycles; cycles varied with the inputs in 1 timing.",
            "Without a figure: does not fit: rsa-2048 small on uno.",
            "Conformance: 288 test cases of 2 sources; 1 FAILED.",
        ]
    );
}

#[test]
fn where_room_is_short_no_interface_is_left_out_for_another_operation() {
    let (rows, context) = (sample::rows(), sample::context());
    let lines = Lines::new(&rows, &context);
    let first = |text: &String| text.split([':', ' ']).next().map(str::to_owned);
    let found = |room| choices(&lines, lines.boards()[0], room);
    assert_eq!(found(9).len(), 3);
    let two: Vec<_> = found(2).iter().filter_map(first).collect();
    assert_eq!(two, ["Block", "Key"]);
}

#[test]
fn findings_follow_the_rows() {
    let context = sample::context();
    let mut rows = sample::rows();
    for row in &mut rows {
        if row.algorithm == "speck128/128" && row.metric == Metric::Time {
            row.value = Some(1.0);
        }
    }
    let lines = Lines::new(&rows, &context);
    let found = findings(&lines, &[], &[]).join("\n");
    assert!(
        found.contains("encrypt: aes-128 fast is fastest"),
        "{found}"
    );
    assert!(
        found.contains("Cycles depended on the inputs in 1 of 8 timed operations."),
        "{found}"
    );
}

#[test]
fn nothing_measured_is_said() {
    let context = Context::default();
    assert_eq!(
        findings(&Lines::new(&[], &context), &[], &[]),
        ["No rows yet."]
    );
}

use crate::context::Context;

#[test]
fn twice_and_half_cancel() {
    let mean = geometric_mean(&[0.5, 2.0]);
    assert!(mean.is_some_and(|mean| (mean - 1.0).abs() < 1e-12));
}
