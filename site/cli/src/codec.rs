//! `selo codec`: lists payload codecs, shows their fields, and decodes payloads.

use std::path::PathBuf;
use std::process::ExitCode;

use selo_base::table::{Cell, Column, Table, TerminalStyle};
use selo_codec::{Catalogue, Codec, Field};

/// The folder with the user's own codecs.
#[derive(Debug, Clone, clap::Args)]
pub struct Codecs {
    /// Folder with payload codecs of your own (docs/operator/add-a-codec.md)
    #[arg(long, env = "SELO_CODECS", value_name = "DIR")]
    pub codecs: Option<PathBuf>,
}

impl Codecs {
    pub fn load(&self) -> selo_codec::Result<Catalogue> {
        Catalogue::with_folder(self.codecs.as_deref())
    }
}

#[derive(Debug, clap::Subcommand)]
#[command(after_help = "\
Examples:
  selo codec list
  selo codec show rain-gauge
  selo codec decode rain-gauge 6bc3026b3e0000002e090000740e0200
  selo codec decode cayenne-lpp 03670110 --json
  selo codec list --codecs my-codecs      also checks the vectors of your own codecs")]
pub enum Command {
    /// List the codecs
    List(ListArgs),
    /// Show the fields of a codec
    Show(ShowArgs),
    /// Decode a payload
    Decode(DecodeArgs),
}

#[derive(Debug, clap::Args)]
pub struct ListArgs {
    #[command(flatten)]
    codecs: Codecs,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    #[command(flatten)]
    codecs: Codecs,
    name: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
pub struct DecodeArgs {
    #[command(flatten)]
    codecs: Codecs,
    name: String,
    /// The payload in hexadecimal
    payload: String,
    /// Print one JSON object, as in MQTT messages
    #[arg(long)]
    json: bool,
}

impl Command {
    pub fn run(&self) -> selo_base::report::Result<ExitCode> {
        match self {
            Command::List(args) => list(args),
            Command::Show(args) => show(args),
            Command::Decode(args) => decode(args),
        }
    }
}

fn list(args: &ListArgs) -> selo_base::report::Result<ExitCode> {
    let codecs = args.codecs.load()?;
    let mut table = Table::new("", ["codec", "title", "payload"].map(Column::text).to_vec());
    for codec in codecs.iter() {
        if args.json {
            println!("{}", json(codec));
        }
        let cells = [&codec.name, &codec.title.en, &codec.describe()].map(Cell::text);
        table.push(cells.to_vec());
    }
    if !args.json {
        println!("{}", table.to_terminal(TerminalStyle::detect()));
    }
    Ok(ExitCode::SUCCESS)
}

fn show(args: &ShowArgs) -> selo_base::report::Result<ExitCode> {
    let codecs = args.codecs.load()?;
    let codec = codecs.get(&args.name)?;
    if args.json {
        println!("{}", json(codec));
        return Ok(ExitCode::SUCCESS);
    }
    println!("{}: {}", codec.title.en, codec.describe());
    let head = ["item", "byte", "field", "type", "unit", "kind", "title"];
    let mut table = Table::new("", head.map(Column::text).to_vec());
    let mut row = |item: String, field: &Field| {
        let cells = [
            item,
            field.offset.to_string(),
            field.name.clone(),
            field.layout().to_owned(),
            field.unit.clone(),
            field.kind.name().to_owned(),
            field.title.en.clone(),
        ];
        table.push(cells.map(Cell::text).to_vec());
    };
    for field in codec.fields() {
        row("-".into(), field);
    }
    for (code, _, fields) in codec.items() {
        for field in fields {
            row(code.to_string(), field);
        }
    }
    println!("{}", table.to_terminal(TerminalStyle::detect()));
    Ok(ExitCode::SUCCESS)
}

fn json(codec: &Codec) -> serde_json::Value {
    let field = |item: Option<u8>, field: &Field| {
        serde_json::json!({
            "name": field.name,
            "title": { "en": field.title.en, "pt": field.title.pt },
            "item": item,
            "offset": field.offset,
            "type": field.layout(),
            "unit": field.unit,
            "kind": field.kind.name(),
        })
    };
    let mut fields: Vec<_> = codec
        .fields()
        .into_iter()
        .map(|one| field(None, one))
        .collect();
    for (code, _, of_item) in codec.items() {
        fields.extend(of_item.iter().map(|one| field(Some(code), one)));
    }
    serde_json::json!({
        "name": codec.name,
        "title": { "en": codec.title.en, "pt": codec.title.pt },
        "payload": codec.describe(),
        "fields": fields,
    })
}

fn decode(args: &DecodeArgs) -> selo_base::report::Result<ExitCode> {
    let codecs = args.codecs.load()?;
    let codec = codecs.get(&args.name)?;
    let payload = hex::decode(args.payload.replace([' ', ':'], "")).map_err(|error| {
        selo_codec::Error::Payload(format!("the payload is not hexadecimal: {error}"))
    })?;
    let values = codec.decode(&payload)?;
    if args.json {
        let mut line = b"{".to_vec();
        selo_mqtt::message::write_values(codec, &payload, &mut line);
        line.push(b'}');
        println!("{}", String::from_utf8_lossy(&line));
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(
        "",
        ["value", "", "unit", "title"].map(Column::text).to_vec(),
    );
    for value in &values {
        let cells = [
            value.name.clone().into_owned(),
            value.value.to_string(),
            value.unit.to_owned(),
            value.title.en.clone(),
        ];
        table.push(cells.map(Cell::text).to_vec());
    }
    println!("{}", table.to_terminal(TerminalStyle::detect()));
    Ok(ExitCode::SUCCESS)
}
