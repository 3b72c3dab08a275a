//! The ways as a table and as a picture.

use std::collections::{BTreeMap, BTreeSet};

use selo_engine::energy::PowerProfile;
use selo_report::format::{count, significant};
use selo_report::svg::Picture;
use selo_report::svg::dots::{Color, Dot, DotChart, Item, Owner, Series};
use selo_report::table::{Cell, Column, Table, Tone};

use super::cost::{Computing, READING, Way};

/// Clock and power of a board, to convert cycles to energy.
#[derive(Clone, Copy, Debug)]
pub struct Chip<'a> {
    pub clock_hz: f64,
    pub power: &'a PowerProfile,
}

fn number(value: f64) -> Cell {
    Cell::number(significant(value, 3), value)
}

fn bytes(value: Option<f64>) -> Cell {
    value.map_or_else(Cell::none, |value| Cell::number(count(value), value))
}

/// The ways as a table. Energy is the core's, above idle, for the boards in `chips`.
pub fn table(ways: &[Way], readings: u32, chips: &BTreeMap<&str, Chip<'_>>) -> Table {
    let title =
        format!("One sealed reading of {READING} bytes, alone and as one of {readings} a day");
    let mut table = Table::new(title, columns());
    for way in ways {
        table.push(line(way, chips.get(&*way.on)));
    }
    table.remarks = remarks(ways, chips);
    table.without_empty_columns()
}

fn columns() -> Vec<Column> {
    vec![
        Column::text("Way"),
        Column::text("On"),
        Column::number("Sent", "bytes"),
        Column::number("Received", "bytes"),
        Column::number("Waits", ""),
        Column::number("Computing", "cycles").with_note("Simulated Uno, cycle-exact."),
        Column::number("Computing", "M instructions").with_note("Emulated core."),
        Column::number("Computing", "M cycles, modelled").with_note(
            "Computed from the instructions by the model of the core (`selo lab calibration`), with the error below. Without a model the cycles are unknown.",
        ),
        Column::number("Computing", "ms")
            .with_note("On the machine that measured the rows."),
        Column::number("Energy", "mJ"),
        Column::number("Per day: bytes", ""),
        Column::number("Per day: waits", ""),
        Column::number("Per day: energy", "mJ"),
        Column::number("Flash", "bytes"),
        Column::number("RAM", "bytes"),
        Column::number("Stack", "bytes"),
    ]
}

fn line(way: &Way, chip: Option<&Chip<'_>>) -> Vec<Cell> {
    let energy = |computing: Computing| {
        let joules = chip
            .zip(cycles(computing))
            .map(|(chip, cycles)| chip.power.joules(cycles / chip.clock_hz));
        joules.map_or_else(Cell::none, |joules| number(joules * 1e3))
    };
    let memory = way.memory;
    let ram = match memory.exceeded {
        Some(part) => bytes(memory.ram)
            .with_tone(Tone::Bad)
            .with_note(format!("Does not fit with the stack: the chip has {part}.")),
        None => bytes(memory.ram),
    };
    let mut line = vec![
        Cell::text(&way.name).with_note(way.note),
        Cell::text(&way.on),
        bytes(Some(way.alone.sent)),
        bytes(Some(way.alone.received)),
        number(way.alone.trips),
    ];
    line.extend(computing(way.alone.computing));
    line.extend([
        energy(way.alone.computing),
        number(way.of_a_day.bytes()),
        number(way.of_a_day.trips),
        energy(way.of_a_day.computing),
        bytes(memory.flash),
        ram,
        bytes(memory.stack),
    ]);
    line
}

/// Cells for cycles, instructions, modelled cycles and milliseconds. The first and the last exclude
/// the others.
fn computing(computing: Computing) -> [Cell; 4] {
    let mut cells = [const { None }; 4];
    match computing {
        Computing::Cycles(cycles) => cells[0] = Some(bytes(Some(cycles))),
        Computing::Instructions(counted) => cells[1] = Some(number(counted / 1e6)),
        Computing::Modelled {
            instructions,
            cycles,
        } => {
            cells[1] = Some(number(instructions / 1e6));
            cells[2] = Some(number(cycles / 1e6));
        }
        Computing::Seconds(seconds) => cells[3] = Some(number(seconds * 1e3)),
        Computing::Unknown => {}
    }
    cells.map(|cell| cell.unwrap_or_else(Cell::none))
}

fn cycles(computing: Computing) -> Option<f64> {
    match computing {
        Computing::Cycles(cycles) | Computing::Modelled { cycles, .. } => Some(cycles),
        _ => None,
    }
}

fn remarks(ways: &[Way], chips: &BTreeMap<&str, Chip<'_>>) -> Vec<String> {
    let with_cycles = ways.iter().filter(|way| {
        cycles(way.alone.computing)
            .or(cycles(way.of_a_day.computing))
            .is_some()
    });
    let used: BTreeSet<&str> = with_cycles.map(|way| &*way.on).collect();
    let profiles: Vec<String> = used
        .iter()
        .filter_map(|board| {
            let chip = chips.get(board)?;
            let clock = chip.clock_hz / 1e6;
            Some(format!("{board}: {} at {clock} MHz", chip.power.name))
        })
        .collect();
    let mut remarks = vec![
        "Bytes are frames of the link, or the TLS bytes that TCP carries, without the headers of UDP, TCP and IP. Flash, RAM and stack are those of the whole node firmware."
            .into(),
        format!(
            "Energy is that of the core above idle, by its power profile ({}), without a radio. It is computed from cycles, so rows with only instructions or the time of another machine have none.",
            profiles.join(", ")
        ),
    ];
    let cautions: BTreeSet<&str> = ways
        .iter()
        .filter_map(|way| way.caution.as_deref())
        .collect();
    remarks.extend(cautions.into_iter().map(str::to_owned));
    remarks
}

/// Bytes by each way.
pub fn picture(ways: &[Way], readings: u32) -> Picture {
    let dot = |value: f64| {
        Some(Dot {
            value,
            text: count(value),
            ..Dot::default()
        })
    };
    DotChart {
        id: "ways".into(),
        title: format!("Bytes of one reading of {READING} bytes"),
        unit: "bytes".into(),
        fidelity: String::new(),
        series: vec![
            Series {
                name: "alone".into(),
                color: Color::Hue(0),
            },
            Series {
                name: format!("one of {readings} a day"),
                color: Color::Hue(1),
            },
        ],
        items: ways
            .iter()
            .map(|way| Item {
                label: way.name.clone(),
                remark: way.on.clone(),
                owner: Owner::default(),
                dots: vec![dot(way.alone.bytes()), dot(way.of_a_day.bytes())],
            })
            .collect(),
        second: None,
        one_line: false,
    }
    .draw()
}
