//! Options of `selo lab energy`, and the reasons for refusing them.

use std::path::PathBuf;

use selo_base::units::{Dimension, parse_quantity};

/// Energy of a measured trace, or battery life of a duty cycle
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["trace", "battery"]))]
#[command(after_help = "\
A trace is the export of a meter: a header, then one line per sample, with columns
for time, voltage and current in any order (t,v,i or time_ms;voltage [V];current
(mA)). The separator is a comma, semicolon or tab; with the last two a decimal comma is
allowed. Samples need not be evenly spaced.

Battery life is capacity divided by mean power: the board sleeps, works once per period,
and sleeps again. The time of the work comes from a row (--board, --operation) or from
--active-time. Currents come from the board's power profile or from the options. With
--operation the profile must give the current of the whole board; the default is the
first profile with an idle current.

Examples:
  selo lab energy --trace run.csv --idle 0..2ms --from 2ms --to 2.6ms
  selo lab energy --trace run.csv --idle-power 45mW --json
  selo lab energy --trace ppk2.csv --supply-volts 5 --trigger D0 --idle 0..1ms
  selo lab energy --trace scope.csv --supply-volts 5 --shunt 10 --trigger CH2
  selo lab energy --battery cr2032 --board uno --operation aes-128:fast:encrypt --every 5s
  selo lab energy --battery 2xaa --board uno --operation speck128/128:fast:encrypt --every 5s \\
      --sleep-current 6uA --self-discharge 2%
  selo lab energy --battery cr2032 --supply-volts 12 --sleep-current 6uA
  selo lab energy --battery 1200mAh@3.7V --supply-volts 3.3 --sleep-current 20uA \\
      --active-current 80mA --active-time 300ms --every 10min

Exit codes: 0 calculated, 2 bad trace or option, 3 no row for that operation yet.")]
pub struct Args {
    /// Trace to integrate (CSV)
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Interval at rest; its mean power is subtracted; such as 0..5ms
    #[arg(
        long,
        value_name = "FROM..TO",
        requires = "trace",
        conflicts_with = "idle_power"
    )]
    pub idle: Option<String>,
    /// Power at rest to subtract; milliwatts without a unit
    #[arg(long, value_name = "POWER", requires = "trace")]
    pub idle_power: Option<String>,
    /// Start of the measured interval; seconds without a unit [default: start of the trace]
    #[arg(long, value_name = "TIME", requires = "trace")]
    pub from: Option<String>,
    /// End of the measured interval [default: end of the trace]
    #[arg(long, value_name = "TIME", requires = "trace")]
    pub to: Option<String>,

    /// Resistor in the supply, in ohms; the column `shunt` or `ch1` contains its voltage
    #[arg(long, value_name = "OHMS", requires = "trace")]
    pub shunt: Option<f64>,
    /// Column of a pin that is high while the operation runs; the result is the mean of all runs
    #[arg(long, value_name = "COLUMN", requires = "trace", conflicts_with_all = ["from", "to"])]
    pub trigger: Option<String>,

    /// Battery: cr2032 (225 mAh, 3 V), 2xaa (2,500 mAh, 3 V), or a form such as 1200mAh@3.7V
    #[arg(long, value_name = "NAME", conflicts_with = "trace")]
    pub battery: Option<String>,
    /// Board of the operation and its power profiles
    #[arg(long, value_name = "NAME", conflicts_with = "trace")]
    pub board: Option<String>,
    /// Work once per period, from a row: ALGORITHM:VARIANT:OPERATION, or the same with :BYTES
    #[arg(
        long,
        value_name = "WORK",
        requires = "board",
        conflicts_with = "active_time"
    )]
    pub operation: Option<String>,
    /// Library of the row
    #[arg(long, value_name = "NAME", default_value = "selo")]
    pub library: String,
    /// Time of the work, if it is not from a row; seconds without a unit
    #[arg(long, value_name = "TIME", conflicts_with = "trace")]
    pub active_time: Option<String>,
    /// Length of a period; seconds without a unit
    #[arg(long, value_name = "TIME", default_value = "5s")]
    pub every: String,
    /// Power profile of the board
    #[arg(long, value_name = "NAME", requires = "board")]
    pub profile: Option<String>,
    /// Current asleep; milliamperes without a unit [default: the profile's idle current]
    #[arg(long, value_name = "CURRENT", conflicts_with = "trace")]
    pub sleep_current: Option<String>,
    /// Current at work [default: the profile's active current]
    #[arg(long, value_name = "CURRENT", conflicts_with = "trace")]
    pub active_current: Option<String>,
    /// Voltage of the currents [default: the profile's, else the battery's]; for a trace without
    /// a voltage column, the supply voltage
    #[arg(long, value_name = "VOLTS")]
    pub supply_volts: Option<String>,
    /// Self-discharge of the battery per year
    #[arg(long, value_name = "PERCENT", default_value = "0%")]
    pub self_discharge: String,
    /// Rows to read: files, or folders with rows.jsonl [default: out/lab/*]
    #[arg(long, value_name = "FILE|DIR", num_args = 1.., conflicts_with = "trace")]
    pub rows: Vec<PathBuf>,

    /// Print one line of JSON on stdout, nothing else
    #[arg(long)]
    pub json: bool,
}

/// The reason for a missing answer.
pub enum Refusal {
    Usage(String),
    NoRow { message: String, command: String },
    Other(selo_base::report::Report),
}

impl<E: Into<selo_base::report::Report>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Refusal::Other(error.into())
    }
}

pub fn quantity(
    option: &str,
    text: &str,
    dimension: Dimension,
    default: &str,
) -> Result<f64, Refusal> {
    match parse_quantity(text, dimension, default) {
        Ok(value) if value >= 0.0 => Ok(value),
        Ok(_) => Err(Refusal::Usage(format!("{option}: '{text}' is negative"))),
        Err(error) => Err(Refusal::Usage(format!("{option}: {error}"))),
    }
}

pub fn optional(
    option: &str,
    text: &Option<String>,
    dimension: Dimension,
    default: &str,
) -> Result<Option<f64>, Refusal> {
    text.as_ref()
        .map(|text| quantity(option, text, dimension, default))
        .transpose()
}
