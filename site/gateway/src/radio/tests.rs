use super::*;
use selo_e32::airtime::AirRate;
use selo_link::frame::FRAME_MAX;

const MS: Duration = Duration::from_millis(1);

#[test]
fn a_port_is_a_path_and_rates() {
    let port: Port = "/dev/ttyUSB0".parse().expect("a port");
    assert_eq!((port.baud, port.air_rate), (9_600, AirRate::R2400));
    let port: Port = "radio,115200,19.2k".parse().expect("a port");
    assert_eq!(port.path, Path::new("radio"));
    assert_eq!((port.baud, port.air_rate), (115_200, AirRate::R19200));
    for (text, says) in [
        ("", "missing"),
        (",9600", "missing"),
        ("x,9601", "baud"),
        ("x,fast", "baud"),
        ("x,9600,3k", "0.3k"),
        ("x,9600,2.4k,7", "no more"),
    ] {
        let error = text.parse::<Port>().expect_err(text);
        assert!(error.contains(says), "{text}: {error}");
    }
}

#[test]
fn silence_ends_a_frame_and_nothing_else_does() {
    let start = Instant::now();
    let mut deframer = Deframer::new(20 * MS);
    assert_eq!(deframer.deadline(), None);
    // In pieces, with pauses too short to end the frame.
    assert_eq!(deframer.push(start, b"he"), None);
    assert_eq!(deframer.push(start + 19 * MS, b"ll"), None);
    assert_eq!(deframer.push(start + 38 * MS, b"o"), None);
    assert_eq!(deframer.deadline(), Some(start + 58 * MS));
    assert_eq!(deframer.end(start + 57 * MS), None);
    assert_eq!(deframer.end(start + 58 * MS).expect("a frame"), b"hello");
    assert_eq!(
        (deframer.end(start + 90 * MS), deframer.deadline()),
        (None, None)
    );
    // Bytes of the next frame can be the first sign that a frame has ended.
    assert_eq!(deframer.push(start + 100 * MS, b"one"), None);
    assert_eq!(
        deframer.push(start + 120 * MS, b"two").expect("a frame"),
        b"one"
    );
    assert_eq!(
        deframer.push(start + 140 * MS, b"").expect("a frame"),
        b"two"
    );
}

#[test]
fn what_is_longer_than_a_frame_is_dropped_up_to_the_next_silence() {
    let start = Instant::now();
    let mut deframer = Deframer::new(20 * MS);
    let whole = [7; FRAME_MAX];
    assert_eq!(deframer.push(start, &whole), None);
    assert_eq!(deframer.push(start + 5 * MS, b"x"), None);
    // The rest of an overlong run is not taken for a frame.
    assert_eq!(deframer.push(start + 10 * MS, b"tail"), None);
    assert_eq!(deframer.end(start + 30 * MS), None);
    assert_eq!(deframer.push(start + 40 * MS, &whole), None);
    assert_eq!(deframer.end(start + 60 * MS).expect("in step again"), whole);
}

#[test]
fn frames_wait_until_the_module_has_sent_the_one_before() {
    let start = Instant::now();
    let mut pacer = Pacer::default();
    let busy = |bytes: usize| MS * bytes as u32;
    assert_eq!(pacer.next(start, busy), None);
    pacer.waiting.extend([vec![1; 30], vec![2; 10], vec![3; 1]]);
    assert_eq!(pacer.next(start, busy).expect("free"), [1; 30]);
    assert_eq!(pacer.next(start + 29 * MS, busy), None);
    assert_eq!(pacer.deadline(), Some(start + 30 * MS));
    assert_eq!(pacer.next(start + 30 * MS, busy).expect("free"), [2; 10]);
    assert_eq!(pacer.next(start + 30 * MS, busy), None);
    assert_eq!(pacer.next(start + 50 * MS, busy).expect("free"), [3; 1]);
    assert_eq!(pacer.deadline(), None, "nothing waits");
}

#[test]
fn a_frames_time_is_the_lines_and_the_airs() {
    let port: Port = "x".parse().expect("a port");
    // 32 byte times of 1.042 ms, plus 349.2 ms air time [docs/researcher/radio-capacity.md].
    let busy = port.busy(29).as_micros();
    assert!((382_500..382_600).contains(&busy), "{busy}");
}
