use super::*;

#[test]
fn rain_falls_as_hard_and_as_long_as_it_is_told_to() {
    let tips = |seed, an_hour, most| -> Vec<u64> {
        let mut rain = Rain::new(seed, an_hour, most);
        let second = |s| rain.tips(Duration::from_secs(s)).then_some(s);
        (0..36_000).filter_map(second).collect()
    };
    let few = tips(1, 60.0, u64::MAX);
    assert!((500..700).contains(&few.len()), "{}", few.len());
    assert_eq!(few, tips(1, 60.0, u64::MAX));
    assert_ne!(few, tips(2, 60.0, u64::MAX));
    assert_eq!(tips(1, 60.0, 7), few[..7]);
    assert!(tips(1, 0.0, u64::MAX).is_empty());
}

#[test]
fn readings_are_told_from_other_frames() {
    let mut frames = Frames::default();
    let mut tally = Tally::default();
    let mut at = 0;
    for (first, size) in [(0x50, 58), (0x70, 29), (0x72, 15), (0x74, 33), (0x60, 40)] {
        for byte in 0..size {
            at += 1;
            let byte = if byte == 0 { first } else { 0x70 };
            frames.push(Duration::from_millis(at), &[byte], &mut tally);
        }
        for _ in 0..5 {
            at += 1;
            frames.push(Duration::from_millis(at), &[], &mut tally);
        }
    }
    assert_eq!((tally.frames_out, tally.readings), (5, 2));
}
