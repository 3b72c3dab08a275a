//! `selo radio airtime`: the air time of a frame at each air data rate.

use std::process::ExitCode;
use std::time::Duration;

use selo_e32::airtime::{AirRate, Fidelity, bytes_on_air};
use selo_e32::parameters::{Parity, SILENCE_BYTES, Uart};
use selo_report::format;
use selo_report::table::{Cell, Column, Table, TerminalStyle, Tone};

use super::common::{figure, milliseconds, or_all};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The times come from the transceiver's formula for the bytes that the module sends: the frame, a
few bytes of its own, and twice as much with forward error correction. EBYTE does not publish the
spreading factor, bandwidth and coding rate of each air data rate: those of 0.3k to 4.8k were
observed on the module's bus, those of 9.6k and 19.2k are assumed (docs/researcher/radio-capacity.md).

Examples:
  selo radio airtime                          a sealed reading of 16 bytes, every rate
  selo radio airtime --bytes 16 --rate 2.4k   the paper's packet
  selo radio airtime --bytes 58 --no-fec --json")]
pub struct Args {
    /// Bytes of the frame; a reading of 16 bytes is sealed in 29
    #[arg(long, value_name = "N", default_value_t = 29, value_parser = clap::value_parser!(u16).range(1..=58))]
    bytes: u16,
    /// Air data rates (default: all): 0.3k, 1.2k, 2.4k, 4.8k, 9.6k, 19.2k
    #[arg(long, value_name = "RATE", value_delimiter = ',')]
    rate: Vec<AirRate>,
    /// Baud rate of the serial line between host and module
    #[arg(long, value_name = "BAUD", default_value_t = 9_600, value_parser = super::common::parse_baud)]
    baud: u32,
    /// Turn off the module's forward error correction
    #[arg(long)]
    no_fec: bool,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> selo_base::report::Result<ExitCode> {
    let bytes = usize::from(args.bytes);
    let fec = !args.no_fec;
    let uart = Uart {
        baud: args.baud,
        parity: Parity::None,
    };
    let line = uart.byte() * (u32::from(args.bytes) + SILENCE_BYTES);
    let mut table = empty_table(args);
    for rate in or_all(&args.rate) {
        let times = Times {
            air: rate.airtime(bytes, fec),
            all: line + rate.airtime(bytes, fec),
        };
        if args.json {
            println!("{}", json(rate, bytes, fec, &times));
        } else {
            table.push(cells(rate, bytes, fec, &times));
        }
    }
    if !args.json {
        print!("{}", table.to_terminal(TerminalStyle::detect()));
    }
    Ok(ExitCode::SUCCESS)
}

/// The time of a frame on the air, and from the host's first byte to the end.
struct Times {
    air: Duration,
    all: Duration,
}

fn empty_table(args: &Args) -> Table {
    let correction = if args.no_fec { "without" } else { "with" };
    Table::new(
        format!(
            "{} bytes, {correction} forward error correction, {} baud",
            args.bytes, args.baud
        ),
        vec![
            Column::text("Rate"),
            Column::text("LoRa"),
            Column::number("On the air", "bytes"),
            Column::number("On the air", "ms"),
            Column::number("From the host's write", "ms")
                .with_note("the serial line, the silence that ends a frame, and the air"),
            Column::number("Packets", "1/s")
                .with_note("back to back: each packet starts after the previous one was sent"),
            Column::number("Sensitivity", "dBm"),
            Column::text("LoRa settings"),
        ],
    )
}

fn json(rate: AirRate, bytes: usize, fec: bool, times: &Times) -> serde_json::Value {
    let modulation = rate.modulation();
    serde_json::json!({
        "schema": "selo.airtime/1", "rate": rate, "bytes": bytes, "fec": fec,
        "modulation": modulation, "bytes_on_air": bytes_on_air(bytes, fec),
        "airtime_s": times.air.as_secs_f64(), "from_write_s": times.all.as_secs_f64(),
        "packets_per_second": 1.0 / times.all.as_secs_f64(),
        "sensitivity_dbm": modulation.sensitivity_dbm(), "settings": rate.fidelity(),
    })
}

/// The line of a rate in the table.
fn cells(rate: AirRate, bytes: usize, fec: bool, times: &Times) -> Vec<Cell> {
    let modulation = rate.modulation();
    let settings = match rate.fidelity() {
        Fidelity::Observed => Cell::label("observed", Tone::Plain),
        Fidelity::Assumed => Cell::label("assumed", Tone::Quiet),
    };
    let lora = format!(
        "SF{} {} kHz 4/{}",
        modulation.spreading_factor,
        modulation.bandwidth_hz / 1000,
        4 + modulation.coding_rate
    );
    let on_air = bytes_on_air(bytes, fec) as f64;
    vec![
        Cell::text(rate.to_string()),
        Cell::text(lora),
        Cell::number(format::count(on_air), on_air),
        milliseconds(times.air),
        milliseconds(times.all),
        figure(1.0 / times.all.as_secs_f64(), 3),
        figure(modulation.sensitivity_dbm(), 4),
        settings,
    ]
}
