use super::*;

const FRAME: [u8; 29] = [0xa5; 29];

/// The arriving copies of one frame.
type Copies = Vec<(Duration, Vec<u8>)>;

/// Sends `count` frames. Returns the copies of each.
fn send(impairment: Impairment, seed: u64, count: usize) -> Vec<Copies> {
    let mut path = Path::new(impairment, seed, 0);
    (0..count)
        .map(|_| {
            let mut copies = Vec::new();
            path.pass(Duration::ZERO, &FRAME, |due, bytes| {
                copies.push((due, bytes))
            });
            copies
        })
        .collect()
}

fn chance(text: &str) -> Chance {
    text.parse().expect("a chance")
}

#[test]
fn a_perfect_network_changes_nothing() {
    for copies in send(Impairment::default(), 1, 1000) {
        assert_eq!(copies, [(Duration::ZERO, FRAME.to_vec())]);
    }
}

#[test]
fn each_impairment_strikes_as_often_as_it_says_and_does_what_it_says() {
    // 10,000 frames at 20 %: mean 2,000, standard deviation 40; allows 5 deviations.
    let about = |count: usize| (1800..=2200).contains(&count);
    let p = chance("20%");
    let base = Impairment::default;
    let count = |impairment, hit: &dyn Fn(&Copies) -> bool| {
        let all = send(impairment, 7, 10_000);
        all.iter().filter(|copies| hit(copies)).count()
    };
    let lost = count(Impairment { loss: p, ..base() }, &|copies| {
        copies.is_empty()
    });
    assert!(about(lost), "{lost}");
    let doubled = count(
        Impairment {
            duplicate: p,
            ..base()
        },
        &|copies| copies.len() == 2,
    );
    assert!(about(doubled), "{doubled}");
    let late = count(
        Impairment {
            reorder: p,
            ..base()
        },
        &|copies| copies[0].0 >= *OVERTAKEN.start(),
    );
    assert!(about(late), "{late}");
    let altered = count(
        Impairment {
            corrupt: p,
            ..base()
        },
        &|copies| {
            let bits = |bytes: &[u8]| -> u32 {
                bytes
                    .iter()
                    .zip(FRAME)
                    .map(|(a, b)| (a ^ b).count_ones())
                    .sum()
            };
            let bits = bits(&copies[0].1);
            assert!(bits <= 1 && copies[0].1.len() == FRAME.len());
            bits == 1
        },
    );
    assert!(about(altered), "{altered}");
    let cut = count(
        Impairment {
            truncate: p,
            ..base()
        },
        &|copies| {
            assert!(FRAME.starts_with(&copies[0].1));
            copies[0].1.len() < FRAME.len()
        },
    );
    assert!(about(cut), "{cut}");
}

#[test]
fn delays_fill_their_range() {
    let (least, most) = (Duration::from_millis(20), Duration::from_millis(200));
    let impairment = Impairment {
        delay: least..=most,
        ..Impairment::default()
    };
    let delays: Vec<Duration> = send(impairment, 3, 10_000)
        .iter()
        .map(|copies| copies[0].0)
        .collect();
    assert!(delays.iter().all(|delay| (least..=most).contains(delay)));
    let span = Duration::from_millis(1);
    assert!(delays.iter().any(|delay| *delay < least + span));
    assert!(delays.iter().any(|delay| *delay > most - span));
}

#[test]
fn a_seed_repeats_itself_and_streams_differ() {
    let rough = Impairment {
        loss: chance("0.3"),
        corrupt: chance("0.3"),
        duplicate: chance("0.3"),
        ..Impairment::default()
    };
    assert_eq!(send(rough.clone(), 5, 500), send(rough.clone(), 5, 500));
    assert_ne!(send(rough.clone(), 5, 500), send(rough.clone(), 6, 500));
    let stream = |stream| {
        let mut path = Path::new(rough.clone(), 5, stream);
        let mut all = Vec::new();
        for _ in 0..500 {
            path.pass(Duration::ZERO, &FRAME, |_, bytes| all.push(bytes));
        }
        all
    };
    assert_ne!(stream(0), stream(1));
}

#[test]
fn chances_are_read_and_nonsense_is_refused() {
    for (text, value) in [("0", 0.0), ("1", 1.0), ("5%", 0.05), ("0.1 %", 0.001)] {
        assert_eq!(
            chance(text),
            Chance::new(value).expect("a chance"),
            "{text}"
        );
    }
    for text in ["", "%", "-1%", "101%", "1.01", "NaN", "inf", "five"] {
        assert!(text.parse::<Chance>().is_err(), "{text}");
    }
}

#[test]
fn the_schedule_keeps_time_and_order() {
    let ms = Duration::from_millis;
    let mut schedule = Schedule::default();
    for (due, item) in [(3, 'd'), (1, 'a'), (2, 'b'), (2, 'c')] {
        schedule.add(ms(due), item);
    }
    assert_eq!((schedule.due(), schedule.take(ms(0))), (Some(ms(1)), None));
    let taken: String = std::iter::from_fn(|| schedule.take(ms(2))).collect();
    assert_eq!((taken.as_str(), schedule.len()), ("abc", 1));
    assert_eq!(schedule.take(ms(9)), Some('d'));
    assert!(schedule.is_empty() && schedule.due().is_none());
}
