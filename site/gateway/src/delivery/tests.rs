use std::collections::VecDeque;
use std::fs::File;
use std::path::Path;

use super::*;
use crate::counters::Count;
use crate::peer::Peer;

/// Gives the prepared answers, then accepts everything.
struct Told(VecDeque<SinkError>);

impl Sink for Told {
    fn deliver(&mut self, _: &[Reading]) -> std::result::Result<(), SinkError> {
        self.0.pop_front().map_or(Ok(()), Err)
    }
}

fn delivery(folder: &Path, answers: Vec<SinkError>) -> Delivery {
    let (mark, from) = Mark::open(&folder.join("delivered")).expect("opens");
    Delivery {
        directory: folder.into(),
        mark,
        from,
        first_of_run: 0,
        sink: Box::new(Told(answers.into())),
        names: Arc::default(),
        progress: Arc::new(Progress::new(from)),
        counters: Arc::default(),
        unnoted: false,
        gone: Box::new(|_| ()),
    }
}

fn some_readings() -> Vec<Reading> {
    vec![Reading {
        device: DeviceId(1),
        name: None,
        codec: None,
        session: SessionName::new(1, 1),
        counter: 1,
        received_ms: 1_795_303_147_042,
        payload: Payload::new(b"23.5 C").expect("short"),
        source: Peer::Nowhere,
        rssi: None,
        redelivered: false,
    }]
}

#[test]
fn a_mark_that_cannot_be_written_does_not_end_delivery() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut delivery = delivery(folder.path(), Vec::new());
    let kept = folder.path().join("delivered");
    let at = |offset| Position { segment: 1, offset };
    delivery.mark.file = File::open(&kept).expect("for reading only");
    delivery.note(at(10));
    assert_eq!(delivery.progress.delivered(), Position::default());
    delivery.mark.file = File::options().write(true).open(&kept).expect("opens");
    delivery.note(at(20));
    assert_eq!(delivery.progress.delivered(), at(20));
    assert_eq!(Mark::open(&kept).expect("opens").1, at(20));
}

#[test]
fn a_sink_at_work_is_waited_for_and_given_nothing_again() {
    let folder = tempfile::tempdir().expect("a folder");
    // With a pause after each answer, this test would take a quarter of an hour.
    let at_work = (0..1000).map(|left| SinkError::UnderWay(format!("{left} left")));
    let mut delivery = delivery(folder.path(), at_work.collect());
    assert_eq!(delivery.hand_over(&mut some_readings()), Ok(true));
    let counts = delivery.counters.snapshot();
    assert_eq!(counts.get(Count::Delivered), 1);
    assert_eq!(counts.get(Count::Redelivered), 0);
}

#[test]
fn a_sink_that_failed_is_given_everything_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut delivery = delivery(folder.path(), vec![SinkError::Later("away".into())]);
    assert_eq!(delivery.hand_over(&mut some_readings()), Ok(true));
    let counts = delivery.counters.snapshot();
    assert_eq!(counts.get(Count::Redelivered), 1);
}

#[test]
fn a_gateway_that_stops_waits_for_no_sink() {
    let folder = tempfile::tempdir().expect("a folder");
    for answer in [SinkError::UnderWay, SinkError::Later] {
        let mut delivery = delivery(folder.path(), vec![answer("busy".into())]);
        delivery.progress.stop();
        assert_eq!(delivery.hand_over(&mut some_readings()), Ok(false));
        assert_eq!(delivery.counters.snapshot().get(Count::Delivered), 0);
    }
    let mut delivery = delivery(folder.path(), vec![SinkError::Gone("closed".into())]);
    assert_eq!(
        delivery.hand_over(&mut some_readings()),
        Err("closed".into())
    );
}

#[test]
fn the_mark_survives_a_half_written_copy() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("delivered");
    let at = |offset| Position { segment: 3, offset };
    let (mut mark, position) = Mark::open(&path).expect("opens");
    assert_eq!(position, Position::default());
    for offset in 1..=7 {
        mark.set(at(offset)).expect("writes");
        assert_eq!(Mark::open(&path).expect("opens").1, at(offset));
    }
    // If one copy is damaged, the other one is used.
    let whole = std::fs::read(&path).expect("there");
    for byte in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[byte] ^= 1;
        std::fs::write(&path, &damaged).expect("writes");
        let (_, position) = Mark::open(&path).expect("opens");
        assert!([at(6), at(7)].contains(&position), "byte {byte}");
    }
}
