//! Tests that flash and RAM are the true growth of a program: for code that the linker keeps
//! although nothing calls it, and beside programs that are built and weighed without the lab. Needs
//! `make build`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bed::Bed;
use selo_engine::build::Builder;
use selo_engine::check::{CRASHED, Effort, NO_ROOM};
use selo_engine::library::Unit;
use selo_engine::measure::{Lab, default_metrics, never_given};
use selo_engine::row::{Metric, Note, Row, Status};

/// A program that calls the glue, or nothing.
const BY_HAND: &str = r#"
#include "agent.h"

static uint8_t from[BUFFER], to[BUFFER];
static uint8_t *volatile in = from, *volatile out = to;
static volatile uint16_t size;
volatile uint8_t footprint_status;

int main(void)
{
    struct agent_call call;
    for (uint8_t i = 0; i < AGENT_FIELDS; i++) {
        call.in[i].data = in;
        call.in[i].size = size;
    }
    call.out = out;
    call.out_size = 0;
#if CALLS
    footprint_run(&call);
#else
    __asm__ __volatile__("" : : "r"(&call) : "memory"); /* the compiler keeps the call's fields */
#endif
    footprint_status = (uint8_t)(call.out_size ^ call.out[0]);
    return 0;
}
"#;

/// Bytes of flash and RAM.
type Bytes = (i64, i64);

/// A lab for the Uno with these metrics.
fn lab<'a>(bed: &'a Bed, metrics: &[Metric]) -> Lab<'a> {
    Lab {
        metrics: metrics.to_vec(),
        ..bed.lab(bed.uno())
    }
}

fn unit<'a>(bed: &'a Bed, library: &str, variant: &str) -> Unit<'a> {
    let units = bed.units(bed.uno(), library, "aes-128", Some(variant));
    units.into_iter().next().expect("a unit")
}

fn value(rows: &[Row], operation: &str, metric: Metric) -> i64 {
    let found = |row: &&Row| row.operation == operation && row.metric == metric;
    let row = rows.iter().find(found).expect("a row");
    row.value.unwrap_or_else(|| panic!("{:?}", row.reason())) as i64
}

/// Compiles `arguments` and weighs the program with avr-size.
fn weighed(root: &Path, image: &Path, arguments: &[String]) -> Bytes {
    let mut gcc = Command::new("avr-gcc");
    gcc.args(["-mmcu=atmega328p", "-DF_CPU=16000000UL", "-Os"])
        .args(["-ffunction-sections", "-fdata-sections"])
        .args(["-Wl,--gc-sections", "-DAGENT_FOOTPRINT=1"])
        .args(["-DAGENT_IO_BYTES=304", "-DAGENT_KEY_BYTES=16"])
        .args(["-Isrc", "-Ilab/firmware/agent", "-Ilab/firmware/ports/avr"])
        .args(["-Ilab/libraries/common"])
        .args(arguments)
        .arg("-o")
        .arg(image)
        .current_dir(root);
    assert!(gcc.status().expect("avr-gcc").success());
    let size = Command::new("avr-size").arg(image).output();
    let size = String::from_utf8(size.expect("avr-size").stdout).expect("text");
    let line = size.lines().nth(1).expect("a line of sizes");
    let mut numbers = line.split_whitespace().map(|word| word.parse::<i64>());
    let mut next = || numbers.next().expect("a number").expect("a number");
    let (text, data, bss) = (next(), next(), next());
    (text + data, data + bss)
}

/// The bytes of a program that calls the footprint's operations, and those of one that calls
/// nothing.
fn by_hand(root: &Path, variant: &str, footprint: &str, flags: &[&str]) -> (Bytes, Bytes) {
    let folder = tempfile::tempdir().expect("a folder");
    let main = folder.path().join("hand.c");
    std::fs::write(&main, BY_HAND).expect("writes");
    let main = main.display().to_string();
    let mut without: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
    without.push(main.clone());
    let mut with = without.clone();
    with.extend(["-DCALLS=1".into(), "-DFOOTPRINT_KEY_SETUP=1".into()]);
    for operation in ["encrypt", "decrypt"] {
        if footprint == operation || footprint == "both" {
            with.push(format!("-DFOOTPRINT_{}=1", operation.to_uppercase()));
        }
    }
    let own = root.join("lab/libraries/test-kept");
    let end = if variant == "object" { "cpp" } else { "c" };
    let mut sources = vec![own.join("glue.c"), own.join(format!("{variant}.{end}"))];
    for folder in ["src/selo/aes", "src/selo/native/avr", "src/selo/common"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("a folder");
        let files = entries.map(|entry| entry.expect("an entry").path());
        let of_aes = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.ends_with(".c") || name.starts_with("aes_") && name.ends_with(".S")
        };
        sources.extend(files.filter(of_aes));
    }
    with.extend(sources.iter().map(|source| source.display().to_string()));
    let full = weighed(root, &folder.path().join("full.elf"), &with);
    let empty = weighed(root, &folder.path().join("empty.elf"), &without);
    (full, empty)
}

/// True if the figures differ by at most 16 bytes or 2 %.
fn close(lab: i64, hand: i64) -> bool {
    (lab - hand).abs() <= 16.max(hand / 50)
}

#[test]
fn flash_and_ram_are_those_of_a_program_built_by_hand() {
    let bed = Bed::new();
    let lab = lab(&bed, &[Metric::Flash, Metric::Ram]);
    for variant in ["plain", "constructor", "interrupt", "object"] {
        let unit = unit(&bed, "test-kept", variant);
        let rows = lab.measure(&unit, &|_| None).expect("rows");
        for footprint in ["encrypt", "decrypt", "both"] {
            let flags = ["-DBUFFER=AGENT_IO_BYTES"];
            let (full, empty) = by_hand(&bed.project.root, variant, footprint, &flags);
            let (flash, ram) = (full.0 - empty.0, full.1 - empty.1);
            let of_lab = |metric| value(&rows, footprint, metric);
            let (lab_flash, lab_ram) = (of_lab(Metric::Flash), of_lab(Metric::Ram));
            let what = format!("{variant} {footprint}");
            println!("{what}: flash {lab_flash}, by hand {flash}; RAM {lab_ram}, by hand {ram}");
            assert!(close(lab_flash, flash), "{what}: {lab_flash} {flash}");
            assert_eq!(lab_ram, ram, "{what}");
        }
    }
}

/// The program that everything grows from has no byte of a library, so it is the same for every
/// library with the same flags.
#[test]
fn libraries_with_the_same_flags_have_the_same_baseline() {
    let bed = Bed::new();
    let lab = lab(&bed, &[Metric::Flash]);
    let weight = |library: &str, variant: &str| {
        let image = lab.builder.baseline(&unit(&bed, library, variant));
        let weight = image.expect("an image").weight;
        (weight.flash, weight.ram)
    };
    let plain = weight("test-wrong", "fast");
    for variant in ["plain", "constructor", "interrupt", "object"] {
        assert_eq!(weight("test-kept", variant), plain, "{variant}");
    }
}

/// A whole program is weighed with everything in it, and with link-time optimisation.
#[test]
fn a_whole_program_is_that_of_a_program_built_by_hand() {
    let bed = Bed::new();
    let lab = lab(&bed, &[Metric::ProgramFlash, Metric::ProgramRam]);
    for variant in ["plain", "object"] {
        let unit = unit(&bed, "test-kept", variant);
        let rows = lab.measure(&unit, &|_| None).expect("rows");
        assert_eq!(rows.len(), 6, "{variant}");
        for row in &rows {
            assert!(row.flags.ends_with("-Os -flto"), "{}", row.flags);
        }
        for footprint in ["encrypt", "both"] {
            let flags = ["-DBUFFER=16", "-flto"];
            let (full, _) = by_hand(&bed.project.root, variant, footprint, &flags);
            let flash = value(&rows, footprint, Metric::ProgramFlash);
            let ram = value(&rows, footprint, Metric::ProgramRam);
            let what = format!("{variant} {footprint}");
            println!("{what}: program flash {flash}, by hand {}", full.0);
            assert!(close(flash, full.0), "{what}: {flash} {}", full.0);
            assert_eq!(ram, full.1, "{what}");
        }
    }
}

/// Whole programs and the heap have rows only if they are asked for, and only where the port says
/// how.
#[test]
fn boards_without_them_have_neither_whole_programs_nor_a_heap() {
    let bed = Bed::new();
    let asked = [Metric::ProgramFlash, Metric::ProgramRam, Metric::Heap];
    for board in &bed.project.boards {
        let usual = default_metrics(&bed.project, board);
        assert!(!asked.iter().any(|metric| usual.contains(metric)));
        let given = |metric| never_given(&bed.project, board, metric).is_none();
        assert_eq!(given(Metric::ProgramFlash), board.port == "avr");
        let system = ["native", "arduino", "loadable"].contains(&board.port.as_str());
        assert_eq!(given(Metric::Heap), !system, "{}", board.name);
    }
    let mut lab = lab(&bed, &asked);
    lab.board = bed.project.board("native").expect("this PC");
    lab.builder = Builder::new(&bed.project, lab.board).expect("its compiler");
    lab.runner.clone_from(&lab.board.runner);
    let rows = lab.measure(&unit(&bed, "test-wrong", "fast"), &|_| None);
    let rows = rows.expect("rows");
    let reasons: BTreeSet<String> = rows.iter().filter_map(Row::reason).collect();
    let expected = [
        "only AVR boards weigh a whole program",
        "the heap of this board is not counted",
    ];
    assert!(reasons.iter().eq(expected.iter()), "{reasons:?}");
    assert!(rows.iter().all(|row| row.status == Status::NotSupported));
}

/// The most bytes that are in use at once, with those that key set-up left, and a word of avr-libc
/// for each block.
#[test]
fn the_heap_of_an_operation_is_counted_to_the_byte() {
    let bed = Bed::new();
    let lab = lab(&bed, &[Metric::Heap]);
    let heap = |library: &str| {
        let rows = lab.measure(&unit(&bed, library, "fast"), &|_| None);
        let of_row = |row: Row| {
            let what = row.operation.clone();
            let Some(Note::HeapLeft { bytes }) = row.notes.last() else {
                panic!("{what}: {:?} {:?}", row.reason(), row.notes)
            };
            (what, row.value.expect("a figure"), *bytes)
        };
        rows.expect("rows")
            .into_iter()
            .map(of_row)
            .collect::<Vec<_>>()
    };
    let (key, scratch) = (176.0 + 2.0, 40.0 + 2.0);
    let expected = [
        ("key-setup".to_owned(), key, 178),
        ("encrypt".to_owned(), key + scratch, 178),
        ("decrypt".to_owned(), key, 178),
    ];
    assert_eq!(heap("test-heap"), expected);
    assert!(
        heap("selo")
            .iter()
            .all(|(_, most, left)| (*most, *left) == (0.0, 0))
    );
}

/// An AVR's port does not see that an allocation is refused; the image that counts the heap does, also
/// if the library then never returns. The simulator sees a stack that reaches into the heap.
#[test]
fn lack_of_memory_is_no_fault_of_the_library() {
    let bed = Bed::new();
    let mut lab = lab(&bed, &[Metric::Cycles]);
    lab.cycle_limit = Some(30_000_000);
    let of = |variant| bed.units(lab.board, "test-heap", "x25519", Some(variant));
    for (variant, why) in [
        ("refused", "heap-exhausted"),
        ("ends", "heap-exhausted"),
        ("deep", "stack-collision"),
    ] {
        let rows = lab.measure(&of(variant)[0], &|_| None).expect("rows");
        assert!(!rows.is_empty());
        for row in &rows {
            assert_eq!(row.status, Status::DoesNotFit, "{variant}: {row:?}");
            let reason = row.reason().unwrap_or_default();
            assert!(reason.contains(why), "{variant}: {reason}");
        }
    }
    let effort = Effort {
        cycles: 100_000,
        ..Effort::default()
    };
    let lines = lab.check(&of("refused")[0], &effort, false).expect("lines");
    assert!(lines.iter().all(|line| line.failed == 0), "{lines:?}");
    let room = lines.iter().find(|line| line.source == NO_ROOM);
    assert!(room.is_some(), "{lines:?}");
}

/// The vectors pass, and a call that only the timing makes is refused memory.
#[test]
fn lack_of_memory_in_a_timed_call_is_no_fault_of_the_library() {
    let bed = Bed::new();
    let mut lab = lab(&bed, &[Metric::Cycles]);
    lab.cycle_limit = Some(30_000_000);
    let units = bed.units(lab.board, "test-heap", "speck128/128", Some("timed"));
    for row in lab.measure(&units[0], &|_| None).expect("rows") {
        let reason = row.reason().unwrap_or_default();
        let refused = (row.operation == "decrypt").then_some(Status::DoesNotFit);
        assert_eq!(row.status, refused.unwrap_or(Status::Ok), "{row:?}");
        assert!(
            refused.is_none() || reason.contains("heap-exhausted"),
            "{reason}"
        );
    }
    let effort = Effort {
        cycles: 100_000,
        secrets: 3,
        ..Effort::default()
    };
    let lines = lab.check(&units[0], &effort, true).expect("lines");
    let sources: Vec<&str> = lines.iter().map(|line| line.source.as_str()).collect();
    assert!(lines.iter().all(|line| line.failed == 0), "{lines:?}");
    assert!(
        sources.contains(&NO_ROOM) && !sources.contains(&CRASHED),
        "{lines:?}"
    );
}

/// The 178 bytes that each key set-up keeps would fill the chip's heap after a few of the laboratory's
/// calls.
#[test]
fn a_library_that_keeps_memory_at_each_call_gets_a_fresh_image() {
    let bed = Bed::new();
    let mut lab = lab(&bed, &[Metric::Cycles]);
    lab.cycle_limit = Some(30_000_000);
    let cycles = |variant| {
        let units = bed.units(lab.board, "test-heap", "aes-128", Some(variant));
        let rows = lab.measure(&units[0], &|_| None).expect("rows");
        let of_encrypt = rows.iter().find(|row| row.operation == "encrypt");
        let row = of_encrypt.expect("a row");
        row.value.unwrap_or_else(|| panic!("{variant}: {row:?}"))
    };
    assert_eq!(cycles("keeps"), cycles("fast"));

    let effort = Effort {
        cycles: 1_000_000,
        secrets: 20,
        ..Effort::default()
    };
    let units = bed.units(lab.board, "test-heap", "aes-128", Some("keeps"));
    let lines = lab.check(&units[0], &effort, true).expect("lines");
    assert!(lines.iter().all(|line| line.failed == 0), "{lines:?}");
    let tried = lines.iter().map(|line| line.tried).sum::<u64>();
    assert!(tried > 60, "{lines:?}");
    let sources = lines.iter().map(|line| line.source.as_str());
    assert!(
        sources
            .clone()
            .all(|source| ![NO_ROOM, CRASHED].contains(&source)),
        "{lines:?}"
    );
}
