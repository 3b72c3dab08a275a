//! The node's firmware on a simulated Uno: power failures, a rejection by the operator, and an
//! EEPROM without a valid record. The gateway is `selo-link`.

use std::path::{Path, PathBuf};

use selo_engine::build::{Builder, Image};
use selo_engine::project::{Project, Selection};
use selo_firmware::link::{self, Play};
use selo_firmware::node::{Node, eeprom_with, factory_record};
use selo_link::frame::Frame;
use selo_link::session::SealOptions;
use selo_link::{DeviceKey, FRAME_MAX, Suite};

/// The suite with the least computing.
const SUITE: &str = "chachapoly-blake2s";

/// Budget of the node on an Uno with 32,768 bytes of flash and 2,048 of RAM: three quarters of the
/// flash, and four fifths of the RAM including the deepest stack.
const FLASH: u64 = 24_576;
const RAM: u64 = 1_638;

/// The same with hybrid pairing: room for a boot loader, and all of the RAM. The workspace of ML-KEM is
/// on the stack.
const HYBRID_FLASH: u64 = 31_500;
const HYBRID_RAM: u64 = 2_048;

/// A second of the chip.
const SECOND: u64 = 16_000_000;

struct Bench {
    root: PathBuf,
    project: Project,
    image: Image,
}

impl Bench {
    fn new() -> Bench {
        Bench::of(SUITE)
    }

    fn of(suite: &str) -> Bench {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let root = root.canonicalize().expect("the repository");
        let project = Project::load(&root).expect("the data files");
        let board = project.board("uno").expect("the Uno");
        let selection = Selection {
            libraries: vec!["selo".into()],
            algorithms: vec!["link".into()],
            variants: vec![suite.into()],
        };
        let units = project.units(board, &selection).expect("the node");
        let list = units[0].program().expect("a whole firmware");
        let builder = Builder::new(&project, board).expect("avr-gcc");
        let image = builder.program(&units[0], &list).expect("an image");
        Bench {
            root,
            project,
            image,
        }
    }

    fn play(&self) -> Play {
        let board = self.project.board("uno").expect("the Uno");
        let mut play = Play::start(&self.root, board, &self.image, SUITE).expect("a chip");
        play.node.next_line("unpaired", 5).expect("it starts");
        play
    }

    fn node(&self, eeprom: &Path) -> Node {
        let board = self.project.board("uno").expect("the Uno");
        Node::start(&self.root, board, &self.image, eeprom).expect("a chip")
    }

    /// A node that has just been paired, and is about to join.
    fn paired(&self) -> (Play, DeviceKey) {
        let mut play = self.play();
        let compared = play.compare().expect("a pairing");
        play.node.command("confirm").expect("a line");
        play.node
            .send_frame(&compared.result(true))
            .expect("a line");
        play.node.next_line("paired", 5).expect("paired");
        (play, compared.device_key().clone())
    }
}

/// A number for `make test-all`, or for a sample.
fn sample(all: u64, some: u64) -> u64 {
    if std::env::var_os("SELO_TEST_ALL").is_some() {
        all
    } else {
        some
    }
}

/// All suites for `make test-all`, or the one that leaves the least room.
fn suites() -> impl Iterator<Item = Suite> {
    let all = sample(1, 0) == 1;
    let wanted = move |suite: &Suite| all || *suite == Suite::AesGcmSha256;
    Suite::ALL.into_iter().filter(wanted)
}

#[test]
fn every_suite_leaves_room() {
    for suite in suites() {
        let bench = Bench::of(suite.name());
        let board = bench.project.board("uno").expect("the Uno");
        let played = link::play(&bench.root, board, &bench.image, suite.name(), 16);
        let played = played.expect("a node that works");
        let weight = &bench.image.weight;
        assert!(weight.flash <= FLASH, "{suite}: {} of flash", weight.flash);
        let ram = weight.ram + played.deepest_stack;
        assert!(ram <= RAM, "{suite}: {ram} of RAM and stack");
    }
}

#[test]
fn hybrid_pairing_fits_with_every_suite() {
    for suite in suites() {
        let variant = format!("{suite}-hybrid");
        let bench = Bench::of(&variant);
        let board = bench.project.board("uno").expect("the Uno");
        let played = link::play(&bench.root, board, &bench.image, &variant, 16);
        let played = played.expect("a node that works");
        let weight = &bench.image.weight;
        let ram = weight.ram + played.deepest_stack;
        let pair = &played.took["pair"][0];
        println!(
            "{variant}: {} of flash, {} of RAM, {} of stack, {} cycles",
            weight.flash, weight.ram, played.deepest_stack, pair.cycles
        );
        assert!(
            weight.flash <= HYBRID_FLASH,
            "{variant}: {} of flash",
            weight.flash
        );
        assert!(ram <= HYBRID_RAM, "{variant}: {ram} of RAM and stack");
    }
}

/// A power cut in any part of a hybrid pairing leaves the node unpaired, and the next pairing works.
#[test]
fn power_cuts_in_a_hybrid_pairing() {
    let bench = Bench::of("chachapoly-blake2s-hybrid");
    let mut play = bench.play();
    for cut in 0..sample(8, 3) {
        play.node.command("pair").expect("a line");
        // PAIR-OPEN and the first steps take some million cycles.
        play.node.advance(1 + cut * 2_500_000).expect("it runs");
        play.node.link.clear();
        match cut % 4 {
            // Pairing anew in the middle ends the first attempt.
            1 => drop(play.compare().expect("a pairing")),
            2 => {
                play.node.command("forget").expect("a line");
                play.node.next_line("forgotten", 5).expect("it forgets");
            }
            _ => {}
        }
        play.node.cut_power().expect("a line");
        play.node.link.clear();
        play.node.console.clear();
        play.node.next_line("unpaired", 5).expect("it starts");
        play.node.command("settle").expect("a line");
        play.node.advance(SECOND / 10).expect("it runs");
        play.node.link.clear();
    }
    let compared = play.compare().expect("a pairing");
    play.node.command("confirm").expect("a line");
    play.node
        .send_frame(&compared.result(true))
        .expect("a line");
    play.node.next_line("paired", 5).expect("paired");
}

/// A power cut at any cycle of the start, which writes the record, leaves a node with its key. The
/// node never reuses a join counter.
#[test]
fn power_cuts_while_the_record_is_written() {
    let (mut play, key) = Bench::new().paired();
    play.accept(&key).expect("a join");
    let cuts = sample(60, 18);
    for cut in 0..cuts {
        play.node.cut_power().expect("a line");
        // A start takes about 4 million cycles, most of them to program bytes.
        let moment = 1 + (cut * 7_919 + 13) * 6_007 % 5_000_000;
        play.node.advance(moment).expect("it runs");
        // The eighth start in a row would wait.
        if cut % 6 == 5 {
            play.node.cut_power().expect("a line");
            play.node.link.clear();
            play.node.console.clear();
            play.node.next_line("paired", 5).expect("still paired");
            play.accept(&key).expect("a join with a new counter");
            play.node.command("settle").expect("a line");
            play.node.advance(SECOND / 10).expect("it runs");
        }
    }
    assert!(
        u64::from(play.counter) > cuts / 12 * 16,
        "counters are reserved in blocks"
    );
}

/// A cut while the key is stored leaves the node paired or unpaired, and able to pair.
#[test]
fn power_cuts_while_the_key_is_stored() {
    let bench = Bench::new();
    let mut outcomes = [0, 0];
    for cut in 0..6_u64 {
        let mut play = bench.play();
        let compared = play.compare().expect("a pairing");
        play.node.command("confirm").expect("a line");
        play.node
            .send_frame(&compared.result(true))
            .expect("a line");
        play.node.advance(900_000 * cut).expect("it runs");
        play.node.cut_power().expect("a line");
        play.node.console.clear();
        play.node.link.clear();
        play.node.next_line("suite ", 5).expect("it starts");
        let state = play.node.next_line("", 1).expect("its state");
        match state.as_str() {
            "paired" => {
                outcomes[1] += 1;
                play.accept(compared.device_key()).expect("a join");
            }
            "unpaired" => {
                outcomes[0] += 1;
                play.compare().expect("another pairing");
            }
            other => panic!("it says {other:?}"),
        }
    }
    assert!(outcomes[0] > 0 && outcomes[1] > 0, "{outcomes:?}");
}

#[test]
fn a_short_press_pairs_and_a_long_one_confirms() {
    let mut play = Bench::new().play();
    // The node does not pair on its own.
    play.node.advance(10 * SECOND).expect("it runs");
    assert!(play.node.link.is_empty(), "{:?}", play.node.link);
    let compared = play.compare().expect("a pairing");
    play.node.command("reject").expect("a line");
    play.node
        .next_line("pairing failed", 5)
        .expect("the operator's no");
    // The gateway's acceptance arrives too late.
    play.node
        .send_frame(&compared.result(true))
        .expect("a line");
    play.node.advance(SECOND).expect("it runs");
    assert!(play.node.console.is_empty(), "{:?}", play.node.console);

    // A long press does not start a pairing.
    play.node.press(3_000).expect("the button");
    play.node.advance(SECOND).expect("it runs");
    assert!(play.node.link.is_empty(), "{:?}", play.node.link);
    play.node.press(100).expect("the button");
    let compared = play.answer_pairing().expect("another pairing");
    play.node
        .send_frame(&compared.result(true))
        .expect("a line");
    play.node.advance(SECOND).expect("it runs");
    assert!(play.node.console.is_empty(), "{:?}", play.node.console);
    // Short presses neither confirm a pairing nor start a new one.
    for milliseconds in [50, 200, 500, 1_000, 1_800] {
        play.node.press(milliseconds).expect("the button");
        play.node.advance(SECOND / 4).expect("it runs");
        assert!(play.node.console.is_empty(), "{:?}", play.node.console);
    }
    play.node.press(2_500).expect("the button");
    play.node
        .next_line("paired", 5)
        .expect("the operator's yes");
    play.accept(compared.device_key()).expect("a join");
}

/// A supply that fails again and again. After many starts the node writes its record only after a
/// wait, and a start that is shorter than the wait writes nothing.
#[test]
fn a_loop_of_power_cuts_soon_writes_nothing() {
    let (mut play, key) = Bench::new().paired();
    play.accept(&key).expect("a join");
    let mut changes = Vec::new();
    for _ in 0..20 {
        let before = play.node.eeprom().expect("the EEPROM");
        play.node.cut_power().expect("a line");
        play.node.advance(SECOND).expect("it runs");
        let after = play.node.eeprom().expect("the EEPROM");
        changes.push(before != after);
    }
    let written = changes.iter().take_while(|changed| **changed).count();
    assert!((6..=8).contains(&written), "{changes:?}");
    assert!(
        changes[written..].iter().all(|changed| !changed),
        "{changes:?}"
    );
    // The node prints the length of the wait, and then works.
    play.node.console.clear();
    play.node.link.clear();
    play.node.cut_power().expect("a line");
    assert_eq!(play.node.next_line("waits ", 1).expect("a line"), "8");
    play.node.next_line("paired", 10).expect("it starts");
    play.accept(&key).expect("a join with a new counter");
}

#[test]
fn forgetting_leaves_no_key_in_the_eeprom() {
    let (mut play, key) = Bench::new().paired();
    play.accept(&key).expect("a join");
    let holds = |play: &mut Play| {
        let eeprom = play.node.eeprom().expect("the EEPROM");
        eeprom.windows(32).any(|bytes| bytes == key.expose())
    };
    assert!(holds(&mut play));
    play.node.command("forget").expect("a line");
    play.node.next_line("forgotten", 5).expect("forgotten");
    assert!(!holds(&mut play));
    play.node.command("status").expect("a line");
    play.node.next_line("unpaired", 5).expect("no key");
    play.node.cut_power().expect("a line");
    play.node.next_line("unpaired", 5).expect("no key");
}

#[test]
fn a_confirmed_reading_is_repeated_until_it_is_acknowledged() {
    let (mut play, key) = Bench::new().paired();
    let mut session = play.accept(&key).expect("a join");
    play.node.reading(b"17 mm", true).expect("a line");
    let first = play.node.next_frame(2).expect("a packet");
    let again = play.node.next_frame(4).expect("the same again");
    assert_eq!(first, again);
    let Ok(Frame::Up(data)) = Frame::parse(&first) else {
        panic!("{}", hex::encode(&first));
    };
    let (mut out, mut sealed) = ([0; FRAME_MAX], [0; FRAME_MAX]);
    let opened = session.open(&data, &mut out).expect("genuine");
    assert!(opened.ack_request && opened.payload == b"17 mm");
    let options = SealOptions {
        ack: Some(opened.counter as u16),
        ..SealOptions::default()
    };
    let answer = session.seal(b"", options, &mut sealed).expect("sealed");
    play.node.send_frame(answer.frame).expect("a line");
    play.node.next_line("delivered", 2).expect("delivered");
    play.node.advance(10 * SECOND).expect("it runs");
    assert!(play.node.link.is_empty(), "it goes on repeating");
}

/// An erased EEPROM on a chip without entropy, and the record of another suite.
#[test]
fn a_node_that_cannot_start_says_so() {
    let bench = Bench::new();
    let file = tempfile::NamedTempFile::new().expect("a file");
    for (content, error) in [
        (vec![0xFF; 1024], "4"),                             // SELO_ERROR_RANDOM
        (eeprom_with(&factory_record(1, 7, &[9; 32])), "8"), // SELO_ERROR_STORE
    ] {
        std::fs::write(file.path(), &content).expect("a written file");
        let mut node = bench.node(file.path());
        let said = node.next_line("not started, error ", 5).expect("a line");
        assert_eq!(said, error);
        node.command("pair").expect("a line");
        assert_eq!(node.next_line("error ", 5).expect("a line"), error);
        // The node has counted its start, and has written nothing else.
        let now = node.eeprom().expect("the EEPROM");
        let changed: Vec<u8> = now
            .iter()
            .zip(&content)
            .filter_map(|(now, before)| (now != before).then_some(*now))
            .collect();
        assert_eq!(changed, [1]);
    }
    // The node erases an unreadable record only on command.
    let mut node = bench.node(file.path());
    node.command("forget").expect("a line");
    node.next_line("erased", 5).expect("a line");
    let eeprom = node.eeprom().expect("the EEPROM");
    // The count of starts in a row stays, because it is not part of the record.
    let left: Vec<u8> = eeprom.into_iter().filter(|byte| *byte != 0xFF).collect();
    assert!(
        left.iter().all(|count| *count <= 15) && left.len() <= 1,
        "{left:?}"
    );
}
