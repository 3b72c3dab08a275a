//! Export of ranges as CSV or JSON Lines, page by page. Only one page is in memory, whatever the
//! range, and a slow reader holds no database connection.

use std::collections::VecDeque;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use serde::Deserialize;
use serde_json::Value as Json;

use super::answer::ApiError;
use super::app::App;
use super::caller::Viewer;
use super::routes::Range;
use crate::db::{Database, Row, Value};
use crate::error::Result;
use crate::message::{data_of, parts_of, session_text, time_text};
use crate::query::{Units, exported, find_station, units};
use crate::sql;

const PAGE: usize = 1000;

/// Query parameters of [`export`].
#[derive(Debug, Deserialize)]
pub struct Asked {
    of: Option<String>,
    /// A station id or a device id.
    #[serde(alias = "station")]
    device: Option<String>,
    from: Option<String>,
    to: Option<String>,
    format: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Format {
    Csv,
    Json,
}

struct Export {
    app: Arc<App>,
    stations: VecDeque<String>,
    /// Names of the values that become columns, in order.
    columns: Arc<Vec<String>>,
    units: Arc<Units>,
    from: i64,
    to: i64,
    after: (i64, i64, i64),
    format: Format,
    head: Option<String>,
}

/// `GET /export`: readings, positions or times as CSV or JSON Lines, streamed.
pub async fn export(
    _: Viewer,
    State(app): State<Arc<App>>,
    Query(asked): Query<Asked>,
) -> Result<Response, ApiError> {
    let range = Range::parse(
        asked.from.as_deref(),
        asked.to.as_deref(),
        app.clock.now(),
        0,
    )?;
    let format = match asked.format.as_deref().unwrap_or("csv") {
        "csv" => Format::Csv,
        "json" => Format::Json,
        _ => return Err(ApiError::invalid("format must be csv or json")),
    };
    let of = asked.of.as_deref().unwrap_or("readings");
    if let Some(posted) = POSTED.iter().find(|posted| posted.of == of) {
        let station = posted.station(&app, asked.device).await?;
        return Ok(posts(app, posted, (range, station), format));
    }
    if of != "readings" {
        return Err(ApiError::invalid(
            "of must be readings, journal, places or times",
        ));
    }
    let (stations, units) = app
        .readers
        .read(|db| Ok((db.query(sql::STATION_IDS, &[])?, units(db)?)))
        .await?;
    let mut stations: VecDeque<String> = stations.iter().map(|row| row.text(0).into()).collect();
    if let Some(id) = asked.device {
        let find = move |db: &mut dyn Database| find_station(db, &id);
        let station = app.readers.read(find).await?;
        stations.retain(|known| *known == station);
    }
    let mut columns: Vec<String> = units
        .keys()
        .filter(|(station, _)| stations.contains(station))
        .map(|(_, name)| name.clone())
        .collect();
    columns.sort();
    columns.dedup();
    let head = (format == Format::Csv).then(|| {
        let fixed = "device,session,counter,received,gateway,rssi,authenticated,payload,site";
        let names: String = columns.iter().map(|name| format!(",{name}")).collect();
        format!("{fixed}{names}\r\n")
    });
    let export = Export {
        app,
        stations,
        columns: columns.into(),
        units: units.into(),
        from: range.from,
        to: range.to,
        after: (range.from, i64::MIN, i64::MIN),
        format,
        head,
    };
    let headers = headers("readings", format);
    Ok((headers, Body::from_stream(unfold(Some(export), page))).into_response())
}

/// Response headers for a file of this name.
fn headers(name: &str, format: Format) -> [(header::HeaderName, String); 2] {
    let (kind, ending) = match format {
        Format::Csv => ("text/csv; charset=utf-8", "csv"),
        Format::Json => ("application/x-ndjson", "jsonl"),
    };
    [
        (header::CONTENT_TYPE, kind.to_string()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}.{ending}\""),
        ),
    ]
}

/// A table that is exported as it is: data that stations posted about themselves, and the journal
/// of alarms. The last selected column is the row id, which is not exported.
struct Posted {
    of: &'static str,
    sql: &'static str,
    columns: &'static [&'static str],
}

const POSTED: [Posted; 3] = [
    Posted {
        of: "places",
        sql: sql::EXPORT_FIXES,
        columns: &["station", "at", "latitude", "longitude", "speed"],
    },
    Posted {
        of: "times",
        sql: sql::EXPORT_TLS_TIMES,
        columns: &[
            "station", "at", "phase", "suite", "group", "resumed", "seconds",
        ],
    },
    Posted {
        of: "journal",
        sql: sql::EXPORT_JOURNAL,
        columns: &[
            "at", "event", "alarm", "severity", "station", "value", "limit", "unit", "person",
            "note",
        ],
    },
];

impl Posted {
    /// The station that was asked for; empty: all. In the tables of posts it is a token's name.
    async fn station(&self, app: &App, asked: Option<String>) -> Result<String> {
        match asked {
            Some(id) if self.of == "journal" => {
                let find = move |db: &mut dyn Database| find_station(db, &id);
                app.readers.read(find).await
            }
            asked => Ok(asked.unwrap_or_default()),
        }
    }

    fn line(&self, row: &Row, format: Format) -> String {
        let value = |at: usize| match (self.columns[at], &row.0[at]) {
            ("at", Value::Int(at)) => Json::from(time_text(*at)),
            ("resumed", Value::Int(resumed)) => Json::from(*resumed == 1),
            (_, Value::Real(number)) => Json::from(*number),
            (_, Value::Int(number)) => Json::from(*number),
            (_, Value::Text(text)) => Json::from(text.as_str()),
            _ => Json::Null,
        };
        let values = (0..self.columns.len()).map(value);
        match format {
            Format::Json => {
                let named: serde_json::Map<String, Json> = self
                    .columns
                    .iter()
                    .map(|name| (*name).to_owned())
                    .zip(values)
                    .collect();
                format!("{}\n", Json::Object(named))
            }
            Format::Csv => {
                let fields: Vec<String> = values
                    .map(|value| match value {
                        Json::String(text) => quoted(&text),
                        Json::Null => String::new(),
                        other => other.to_string(),
                    })
                    .collect();
                format!("{}\r\n", fields.join(","))
            }
        }
    }
}

fn posts(
    app: Arc<App>,
    posted: &'static Posted,
    (range, station): (Range, String),
    format: Format,
) -> Response {
    let head = format!("{}\r\n", posted.columns.join(","));
    let head = (format == Format::Csv).then_some(head);
    let next = move |state: Option<(Option<String>, i64)>| {
        let (app, station) = (app.clone(), station.clone());
        async move {
            let (head, after) = state?;
            if let Some(head) = head {
                return Some((Ok(head), Some((None, after))));
            }
            let asked: [Value; 5] = [
                range.from.into(),
                range.to.into(),
                after.into(),
                (PAGE as i64).into(),
                station.into(),
            ];
            let read = app.readers.read(move |db| db.query(posted.sql, &asked));
            match read.await {
                Err(error) => {
                    tracing::warn!("an export was interrupted: {error}");
                    Some((Err(error), None))
                }
                Ok(rows) => {
                    let last = rows.last()?.int(posted.columns.len());
                    let lines = rows.iter().map(|row| posted.line(row, format));
                    Some((Ok(lines.collect::<String>()), Some((None, last))))
                }
            }
        }
    };
    let body = Body::from_stream(unfold(Some((head, 0)), next));
    (headers(posted.of, format), body).into_response()
}

/// Reads the next page. An error aborts the response, so the client can see that it is
/// incomplete.
async fn page(export: Option<Export>) -> Option<(Result<String>, Option<Export>)> {
    let mut export = export?;
    if let Some(head) = export.head.take() {
        return Some((Ok(head), Some(export)));
    }
    loop {
        let station = export.stations.front()?.clone();
        let (to, after) = (export.to, export.after);
        let (columns, units) = (export.columns.clone(), export.units.clone());
        let format = export.format;
        let done = export
            .app
            .readers
            .read(move |db| one_page(db, &station, to, after, format, &columns, &units))
            .await;
        match done {
            Err(error) => {
                tracing::warn!("an export was interrupted: {error}");
                return Some((Err(error), None));
            }
            Ok((text, last)) => {
                match last {
                    Some(last) => export.after = last,
                    None => {
                        export.stations.pop_front();
                        export.after = (export.from, i64::MIN, i64::MIN);
                    }
                }
                if !text.is_empty() {
                    return Some((Ok(text), Some(export)));
                }
            }
        }
    }
}

type Cursor = (i64, i64, i64);

fn one_page(
    db: &mut dyn Database,
    station: &str,
    to: i64,
    after: Cursor,
    format: Format,
    columns: &[String],
    units: &Units,
) -> Result<(String, Option<Cursor>)> {
    let parameters: [Value; 6] = [
        station.into(),
        to.into(),
        after.0.into(),
        after.1.into(),
        after.2.into(),
        (PAGE as i64).into(),
    ];
    let rows = db.query(sql::EXPORT, &parameters)?;
    let mut text = String::with_capacity(rows.len() * 128);
    for row in &rows {
        match format {
            Format::Json => {
                text.push_str(&exported(units, row).to_string());
                text.push('\n');
            }
            Format::Csv => csv(&mut text, row, columns),
        }
    }
    let last = rows
        .last()
        .filter(|_| rows.len() == PAGE)
        .map(|row| (row.int(3), row.int(1), row.int(2)));
    Ok((text, last))
}

/// Writes one record [RFC4180]. Only the gateway's name is free text.
fn csv(text: &mut String, row: &Row, columns: &[String]) {
    let optional = |value: Option<String>| value.unwrap_or_default();
    let fixed = [
        parts_of(row.text(0)).1.to_string(),
        session_text(row.int(1)),
        row.int(2).to_string(),
        time_text(row.int(3)),
        quoted(row.opt_text(4).unwrap_or("")),
        optional(row.opt_int(5).map(|rssi| rssi.to_string())),
        (row.int(8) == 1).to_string(),
        hex::encode(row.blob(6)),
        row.text(10).to_string(),
    ];
    text.push_str(&fixed.join(","));
    let data = data_of(row.text(7));
    for name in columns {
        text.push(',');
        text.push_str(&optional(data.get(name).map(f64::to_string)));
    }
    text.push_str("\r\n");
}

fn quoted(field: &str) -> String {
    // Mark text that a spreadsheet would evaluate as a formula.
    let guard = if field.starts_with(['=', '+', '-', '@']) {
        "'"
    } else {
        ""
    };
    if guard.is_empty() && !field.contains([',', '"']) {
        return field.into();
    }
    format!("\"{guard}{}\"", field.replace('"', "\"\""))
}
