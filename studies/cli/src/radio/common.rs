//! Options and cells that the subcommands share.

use std::time::Duration;

use selo_e32::airtime::AirRate;
use selo_e32::parameters::Parameters;
use selo_report::format;
use selo_report::table::Cell;

pub fn parse_baud(text: &str) -> Result<u32, String> {
    let known = Parameters::bauds();
    match text.parse() {
        Ok(baud) if known.contains(&baud) => Ok(baud),
        _ => Err(format!("must be one of {known:?}")),
    }
}

fn within(text: &str, low: f64, high: f64) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if (low..=high).contains(&number) => Ok(number),
        _ => Err(format!("must be between {low} and {high}")),
    }
}

pub fn parse_share(text: &str) -> Result<f64, String> {
    within(text, 0.0, 1.0)
}

pub fn parse_percent(text: &str) -> Result<f64, String> {
    within(text, 0.01, 50.0)
}

pub fn parse_metres(text: &str) -> Result<f64, String> {
    within(text, 1.0, 100_000.0)
}

pub fn or_all(rates: &[AirRate]) -> Vec<AirRate> {
    if rates.is_empty() {
        AirRate::ALL.to_vec()
    } else {
        rates.to_vec()
    }
}

pub fn milliseconds(time: Duration) -> Cell {
    let value = 1e3 * time.as_secs_f64();
    Cell::number(format::significant(value, 4), value)
}

pub fn figure(value: f64, digits: usize) -> Cell {
    Cell::number(format::significant(value, digits), value)
}
