use super::*;

#[test]
fn a_window_is_what_its_last_events_say() {
    let mut window = Window::default();
    window.take(Event::Open { entries_left: 3 });
    assert_eq!((window.state, window.entries_left), (State::Open, Some(3)));
    let keyed = |attempt| Event::Keyed {
        attempt,
        device: "0000000a".into(),
        suite: "ascon".into(),
    };
    window.take(keyed(1));
    window.take(keyed(2));
    window.take(Event::Comparing {
        attempt: 2,
        device: "0000000a".into(),
        suite: "ascon".into(),
        replaces: true,
    });
    let shown = |window: &Window| -> Vec<(u64, bool)> {
        let attempts = window.attempts.iter();
        attempts.map(|it| (it.attempt, it.shows_digits)).collect()
    };
    assert_eq!(shown(&window), [(1, false), (2, true)]);
    window.take(Event::Failed {
        attempt: 1,
        device: "0000000a".into(),
        why: "rejected".into(),
    });
    window.take(Event::Open { entries_left: 2 });
    assert_eq!(shown(&window), [(2, true)]);
    assert_eq!(window.why.as_deref(), Some("rejected"));
    window.take(Event::Paired {
        attempt: 2,
        device: "0000000a".into(),
        kem: None,
    });
    window.take(Event::Closed { why: "done".into() });
    assert_eq!((window.state, shown(&window)), (State::Paired, vec![]));
}
