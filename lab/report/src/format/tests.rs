use super::*;

#[test]
fn quantities_in_sentences() {
    assert_eq!(quantity(Metric::Cycles, 8520.0), "8,520 cycles");
    assert_eq!(quantity(Metric::Time, 0.000_532_4), "0.532 ms");
    assert_eq!(quantity(Metric::Time, 2.718_75), "2.72 s");
    assert_eq!(quantity(Metric::Time, 8.1e-6), "8.10 µs");
    assert_eq!(quantity(Metric::Time, 42e-9), "42.0 ns");
    assert_eq!(quantity(Metric::Energy, 0.783 * NANOWATT_HOUR), "0.783 nWh");
    assert_eq!(
        quantity(Metric::Energy, 5_469_544.0 * 1e-3 * NANOWATT_HOUR),
        "5,470 nWh"
    );
    assert_eq!(quantity(Metric::Flash, 1.0), "1 byte");
    assert_eq!(quantity(Metric::Flash, 3712.0), "3,712 bytes");
    assert_eq!(quantity(Metric::CpuShare, 100.0), "100 %");
}

#[test]
fn significant_digits_keep_the_whole_part() {
    assert_eq!(significant(43_512.345, 3), "43,512");
    assert_eq!(significant(17.136, 3), "17.1");
    assert_eq!(significant(0.9996, 3), "1.00");
    assert_eq!(significant(9.996, 3), "10.0");
    assert_eq!(significant(0.000_123_4, 3), "0.000123");
    assert_eq!(significant(-1234.5, 2), "-1,234");
    assert_eq!(significant(0.0, 3), "0");
    assert_eq!(significant(f64::NAN, 3), "–");
}

#[test]
fn grouping() {
    for (value, text) in [
        (0.0, "0"),
        (-0.2, "0"),
        (999.0, "999"),
        (1000.0, "1,000"),
        (51_464_160.0, "51,464,160"),
    ] {
        assert_eq!(count(value), text);
    }
    assert_eq!(exact(1_524_437.787), "1,524,437.787");
    assert_eq!(exact(10.76), "10.76");
}

#[test]
fn ratios_and_frequencies() {
    assert_eq!(ratio(0.944), "0.94×");
    assert_eq!(ratio(12.34), "12.3×");
    assert_eq!(ratio(1234.5), "1,234×");
    assert_eq!(ratio(0.0004), "0.0004×");
    assert_eq!(frequency(16_000_000), "16 MHz");
    assert_eq!(frequency(32_768), "32.768 kHz");
}

#[test]
fn short_digests_never_split_a_character() {
    assert_eq!(short("0123456789abcdef"), "0123456789");
    assert_eq!(short("éééééééééééé"), "éééééééééé");
    assert_eq!(short("abc"), "abc");
}
