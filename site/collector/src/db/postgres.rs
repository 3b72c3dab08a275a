//! PostgreSQL with the same statements. A broken connection is replaced before the next
//! operation.
//!
//! Each statement is a round trip to the server, and a batch may be of thousands of stations. So one
//! statement takes all rows, or all keys, as arrays: one for each column ([`array`]).

mod array;
mod packed;
mod tables;
mod value;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use selo_base::report::chain;
use selo_postgres::client::{Client, Copy, Heard, Query};
use selo_postgres::problem::Problem;
use selo_postgres::server::{Server, busy_runtime, runtime};
use selo_postgres::tls;
use tokio::runtime::Runtime;
use tokio_postgres::Statement;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;

use value::{parameters_of, value};

use super::own::Words;
use super::turn::{PAUSED, TABLES, Turn, Turns};
use super::{Database, Packed, Row, Value, one_row};
use crate::error::{Error, Result};
use crate::ingest::Pulse;

/// What a connection may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Reads,
    /// It is the only one that writes.
    Writes,
    /// It writes in turn with others.
    Shares,
    /// It agrees with others about who owns what, in turn with those that do so.
    Agrees,
    /// It reads and changes few rows, at any time, and waits only for a short time.
    Brief,
}

impl Mode {
    /// The turn that each of its transactions waits for.
    fn turn(self) -> Option<Turn> {
        match self {
            Mode::Reads | Mode::Writes | Mode::Brief => None,
            Mode::Shares => Some(Turn::Writes),
            Mode::Agrees => Some(Turn::Agrees),
        }
    }

    /// Maximum wait for the answer to a statement.
    fn limit(self) -> Duration {
        match self {
            Mode::Brief => BRIEF,
            _ => STATEMENT,
        }
    }
}

/// Key of the advisory lock that a writing collector holds, alone or together with others that
/// write in turn: "selo" in ASCII.
const LOCK: i64 = 0x7365_6c6f;

/// Timeout of the check that a connection is alive.
const ANSWER: Duration = Duration::from_secs(2);

/// Maximum wait for the answer to a statement. Statements are small. A commit waits for the
/// standby, which may restart. After that the connection is replaced: the server may hang, or may no
/// longer be the one that takes writes.
const STATEMENT: Duration = Duration::from_secs(60);

/// The same for a brief connection.
const BRIEF: Duration = Duration::from_secs(5);

/// The same for a statement of a migration, which may change each row of a large table.
const MIGRATION: Duration = Duration::from_secs(24 * 3600);

/// What PostgreSQL says in its own way. Its readings have an index of times by blocks.
pub(super) const WORDS: Words = Words {
    long: 86_400_000,
    sign: "",
    site: "split_part(STATION, ':', 1)",
    value: "r.data[array_position((SELECT string_to_array(l.names, ',') FROM layout l
        WHERE l.number = r.layout), ?2)]",
    last: "(array_agg(v.value ORDER BY v.session DESC, v.counter DESC))[1]",
    newest: "",
    frames: |words| {
        format!(
            "{} FROM packed_reading r JOIN station_number s ON s.number = r.station
            WHERE (r.received, s.station, r.session, r.counter) < (?1, ?2, ?3, ?4)
                AND r.received <= ?1 AND r.received >= ?6
            ORDER BY r.received DESC, s.station DESC, r.session DESC, r.counter DESC LIMIT ?5",
            words.frame()
        )
    },
    unsettled: None,
};

/// A connection to PostgreSQL.
pub struct Postgres {
    runtime: Arc<Runtime>,
    server: Server,
    client: Option<Client>,
    statements: HashMap<String, Statement>,
    /// Statements for many rows or keys, by the statement for one.
    of_many: HashMap<String, Statement>,
    mode: Mode,
    turns: Turns,
    /// Readings of this transaction that are being written.
    copying: Option<Copy>,
    pulse: Arc<Pulse>,
    /// Maximum wait for the answer to a statement.
    limit: Duration,
}

impl std::fmt::Debug for Postgres {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Postgres({})", self.server.place())
    }
}

impl Postgres {
    /// Connects. A writer holds the database's advisory lock for as long as it is connected.
    pub fn open(url: &str, mode: Mode) -> Result<Postgres> {
        let mut db = Postgres {
            runtime: match mode {
                Mode::Writes | Mode::Shares => busy_runtime()?,
                Mode::Reads | Mode::Agrees | Mode::Brief => runtime()?,
            },
            server: Server::of(url, "selo collect")?,
            client: None,
            statements: HashMap::new(),
            of_many: HashMap::new(),
            mode,
            turns: Turns::default(),
            copying: None,
            pulse: Arc::default(),
            limit: mode.limit(),
        };
        db.ready()?;
        Ok(db)
    }

    /// The client for the next statement. The last one has been answered.
    fn client(&mut self) -> Result<&mut Client> {
        self.pulse.beat();
        let place = self.server.place();
        self.client.as_mut().ok_or_else(|| Error::Unavailable {
            place: place.into(),
            reason: "the connection is lost".into(),
        })
    }

    /// The error of a statement. Drops a connection that is of no more use.
    fn problem(&mut self, problem: Problem) -> Error {
        // After a COPY that failed, each statement does.
        let problem = self.finish_copy().err().unwrap_or(problem);
        let reason = match problem {
            Problem::Server(error) => return self.meaning(&error),
            Problem::Ours(error) => error.to_string(),
            Problem::Closed => "the connection is lost".into(),
            Problem::Silent(limit) => {
                self.server.was_silent();
                format!("it has not answered within {} s", limit.as_secs())
            }
        };
        self.forget();
        Error::Unavailable {
            place: self.server.place().into(),
            reason,
        }
    }

    /// Waits until the readings are written.
    fn finish_copy(&mut self) -> Result<(), Problem> {
        match (self.copying.take(), &mut self.client) {
            (Some(copy), Some(client)) => client.finish_copy(copy).map(drop),
            _ => Ok(()),
        }
    }

    /// Converts an error, and drops the connection if it is broken.
    fn meaning(&mut self, error: &tokio_postgres::Error) -> Error {
        let place = self.server.place().to_owned();
        let reason = match error.as_db_error() {
            Some(answer) => format!("{} ({})", answer.message(), answer.code().code()),
            None => tls::why(error).unwrap_or_else(|| chain(error)),
        };
        if self.client.as_ref().is_some_and(Client::is_closed) {
            self.forget();
        }
        match error.code() {
            None => {
                // Not a server response: either the connection failed, or a value does not fit
                // its column.
                if self.client.is_none() || error.is_closed() {
                    self.forget();
                    Error::Unavailable { place, reason }
                } else {
                    Error::Database { place, reason }
                }
            }
            Some(code) if *code == SqlState::DISK_FULL => Error::Full { place, reason },
            // SQLSTATE classes: connection, transaction rollback, resources, operator, system
            // [POSTGRESQL, Appendix A].
            Some(code)
                if ["08", "25", "40", "53", "57", "58", "28"].contains(&&code.code()[..2]) =>
            {
                if code.code().starts_with("57") {
                    self.forget();
                }
                Error::Unavailable { place, reason }
            }
            Some(_) => Error::Database { place, reason },
        }
    }

    fn forget(&mut self) {
        self.client = None;
        self.copying = None;
        self.statements.clear();
        self.of_many.clear();
    }

    fn statement(&mut self, sql: &str) -> Result<Statement> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let own = WORDS.statement(sql).replace('?', "$");
        let prepared = self.client()?.prepare(&own);
        let statement = prepared.map_err(|problem| self.problem(problem))?;
        self.statements.insert(sql.into(), statement.clone());
        Ok(statement)
    }

    /// The statement that does for many what `one` does. `make` writes it, from the types of the
    /// parameters of `one`.
    fn statement_of_many(
        &mut self,
        one: &str,
        make: impl FnOnce(&[Type]) -> String,
    ) -> Result<Statement> {
        if let Some(statement) = self.of_many.get(one) {
            return Ok(statement.clone());
        }
        let of_one = WORDS.statement(one).replace('?', "$");
        let types = self.client()?.prepare(&of_one);
        let types = types.map_err(|problem| self.problem(problem))?;
        let text = make(types.params());
        let prepared = self.client()?.prepare(&text);
        let statement = prepared.map_err(|problem| self.problem(problem))?;
        self.of_many.insert(one.into(), statement.clone());
        Ok(statement)
    }

    /// The rows of a statement whose parameters are the columns of `keys`.
    fn rows_of_many(&mut self, of: &Statement, keys: &[Vec<Value>]) -> Result<Vec<Row>> {
        let columns = array::columns(keys);
        let answer = self.client()?.rows(of, &array::parameters(&columns));
        let rows = answer.map_err(|problem| self.problem(problem))?;
        self.converted(&rows)
    }

    /// Runs a statement whose parameters are the columns of `rows`.
    fn change_of_many(&mut self, by: &Statement, rows: &[Vec<Value>]) -> Result<()> {
        let columns = array::columns(rows);
        let done = self.client()?.change(by, &array::parameters(&columns));
        done.map(drop).map_err(|problem| self.problem(problem))
    }

    fn converted(&mut self, rows: &[tokio_postgres::Row]) -> Result<Vec<Row>> {
        rows.iter()
            .map(|row| {
                let columns = (0..row.len()).map(|column| value(row, column));
                columns.collect::<Result<_, _>>().map(Row)
            })
            .collect::<Result<_, tokio_postgres::Error>>()
            .map_err(|error| self.meaning(&error))
    }
}

impl Database for Postgres {
    fn place(&self) -> &str {
        self.server.place()
    }

    fn is_gone(&self) -> bool {
        self.client.as_ref().is_none_or(Client::is_closed)
    }

    fn ready(&mut self) -> Result<()> {
        // A connection that broke while idle looks healthy until it is used.
        let alive = |client: &mut Client| client.answers(ANSWER);
        if self.client.as_mut().is_some_and(alive) {
            return Ok(());
        }
        self.forget();
        let connected = self.server.connect(&self.runtime);
        let mut client = connected.map_err(|problem| match self.problem(problem) {
            // There is no connection yet, so every error means that the database is unavailable.
            Error::Database { place, reason } | Error::Unavailable { place, reason } => {
                let reason = self.server.unconnected(reason);
                Error::Unavailable { place, reason }
            }
            other => other,
        })?;
        if !matches!(self.mode, Mode::Reads | Mode::Brief) {
            let lock = match self.mode {
                Mode::Shares | Mode::Agrees => "SELECT pg_try_advisory_lock_shared($1)",
                _ => "SELECT pg_try_advisory_lock($1)",
            };
            let locked = client
                .query_one(lock, &[&LOCK])
                .and_then(|row| Ok(row.try_get::<_, bool>(0)?))
                .map_err(|problem| self.problem(problem))?;
            if !locked {
                return Err(Error::Locked {
                    place: self.server.place().into(),
                });
            }
        }
        if self.mode.turn().is_some() {
            let prepared = client.batch_execute(TABLES);
            prepared.map_err(|problem| self.problem(problem))?;
        }
        if self.mode.turn().is_some() || self.mode == Mode::Brief {
            let prepared = client.batch_execute(PAUSED);
            prepared.map_err(|problem| self.problem(problem))?;
        }
        client.limit(self.limit);
        self.client = Some(client);
        Ok(())
    }

    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64> {
        let statement = self.statement(sql)?;
        let done = self
            .client()?
            .change(&statement, &parameters_of(parameters));
        done.map_err(|problem| self.problem(problem))
    }

    fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>> {
        let statement = self.statement(sql)?;
        let answer = self.client()?.rows(&statement, &parameters_of(parameters));
        let rows = answer.map_err(|problem| self.problem(problem))?;
        self.converted(&rows)
    }

    fn query_each(&mut self, sql: &str, keys: &[Vec<Value>]) -> Result<Vec<Vec<Row>>> {
        let mut found = vec![Vec::new(); keys.len()];
        if keys.is_empty() {
            return Ok(found);
        }
        let make = |types: &[Type]| array::query(&WORDS.statement(sql), types);
        let statement = self.statement_of_many(sql, make)?;
        for Row(mut columns) in self.rows_of_many(&statement, keys)? {
            // The number of the key, from 1.
            let Some(Value::Int(number)) = columns.pop() else {
                continue;
            };
            let of = usize::try_from(number - 1).ok();
            if let Some(rows) = of.and_then(|of| found.get_mut(of)) {
                rows.push(Row(columns));
            }
        }
        Ok(found)
    }

    fn change_each(&mut self, change: &str, place: &str, rows: &[Vec<Value>]) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let one = format!("{change} WHERE {place}");
        let make = |types: &[Type]| array::change(change, place, types);
        let statement = self.statement_of_many(&one, make)?;
        self.change_of_many(&statement, rows)
    }

    fn put_rows(&mut self, head: &str, tail: &str, rows: &[Vec<Value>]) -> Result<()> {
        let Some(first) = rows.first() else {
            return Ok(());
        };
        let one = one_row(head, tail, first.len());
        let make = |types: &[Type]| array::insert(head, tail, types);
        let statement = self.statement_of_many(&one, make)?;
        self.change_of_many(&statement, rows)
    }

    fn may_defer(&self) -> bool {
        self.mode == Mode::Writes
    }

    fn put_packed(&mut self, rows: &[Packed<'_>]) -> Result<()> {
        if rows.is_empty() {
            return Ok(());
        }
        let statement = self.statement(packed::COPY)?;
        self.finish_copy()
            .map_err(|problem| self.problem(problem))?;
        let begun = self.client()?.start_copy(&statement, packed::encode(rows));
        self.copying = Some(begun.map_err(|problem| self.problem(problem))?);
        Ok(())
    }

    fn script(&mut self, sql: &str) -> Result<()> {
        let done = self.client()?.batch_execute(sql);
        done.map_err(|problem| self.problem(problem))
    }

    fn begin(&mut self) -> Result<()> {
        self.ready()?;
        self.script("BEGIN")?;
        if let Some(turn) = self.mode.turn() {
            let name = self.turns.name.clone();
            match Turns::take(self, turn, &name) {
                Ok((number, watched)) => self.turns.begin(number, watched),
                Err(error) => {
                    self.rollback();
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        self.finish_copy()
            .map_err(|problem| self.problem(problem))?;
        self.script("COMMIT")?;
        self.turns.commit();
        Ok(())
    }

    fn take_behind(&mut self) -> bool {
        self.turns.take_behind()
    }

    fn is_watched(&self) -> bool {
        self.turns.is_watched()
    }

    fn call(&mut self, name: &str) {
        self.turns.name = name.into();
    }

    fn hear(&mut self, limit: Duration) -> Result<Heard> {
        let heard = self.client()?.hear(limit);
        heard.map_err(|problem| self.problem(problem))
    }

    fn tell(&mut self, pulse: Arc<Pulse>) {
        self.pulse = pulse;
    }

    fn take_time(&mut self, long: bool) {
        self.limit = if long { MIGRATION } else { self.mode.limit() };
        if let Some(client) = &mut self.client {
            client.limit(self.limit);
        }
    }

    fn rollback(&mut self) {
        let _ = self.finish_copy();
        if self.client.is_some() && self.script("ROLLBACK").is_err() {
            // The transaction state is unknown, so start again with a new connection.
            self.forget();
        }
    }

    fn span(&self) -> i64 {
        WORDS.long
    }

    fn dialect(&self, sql: &str) -> String {
        sql.replace(
            "SERIAL_KEY",
            "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
        )
        .replace("CLUSTERED", "")
        .replace("PACK_READINGS", &tables::pack())
        .replace("RENAME_SPANS", "ALTER TABLE span RENAME COLUMN day TO at")
    }
}
