//! A database that counts what it is asked.

use selo_collector::Error;
use selo_collector::db::{Database, Packed, Row, Value};

type Result<T> = std::result::Result<T, Error>;

#[derive(Debug)]
pub struct Counting {
    db: Box<dyn Database>,
    /// Rows that queries returned.
    pub rows: usize,
    /// Queries, each for any number of keys.
    pub queries: usize,
}

impl Counting {
    pub fn new(db: Box<dyn Database>) -> Counting {
        Counting {
            db,
            rows: 0,
            queries: 0,
        }
    }
}

impl Database for Counting {
    fn place(&self) -> &str {
        self.db.place()
    }
    fn ready(&mut self) -> Result<()> {
        self.db.ready()
    }
    fn is_gone(&self) -> bool {
        self.db.is_gone()
    }
    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64> {
        self.db.execute(sql, parameters)
    }
    fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>> {
        let rows = self.db.query(sql, parameters)?;
        self.queries += 1;
        self.rows += rows.len();
        Ok(rows)
    }
    fn query_each(&mut self, sql: &str, keys: &[Vec<Value>]) -> Result<Vec<Vec<Row>>> {
        let rows = self.db.query_each(sql, keys)?;
        self.queries += 1;
        self.rows += rows.iter().map(Vec::len).sum::<usize>();
        Ok(rows)
    }
    fn change_each(&mut self, change: &str, place: &str, rows: &[Vec<Value>]) -> Result<()> {
        self.db.change_each(change, place, rows)
    }
    fn put_rows(&mut self, head: &str, tail: &str, rows: &[Vec<Value>]) -> Result<()> {
        self.db.put_rows(head, tail, rows)
    }
    fn may_defer(&self) -> bool {
        // What follows from readings is counted with them.
        false
    }
    fn keeps_apart(&self) -> bool {
        self.db.keeps_apart()
    }
    fn gather(&mut self) -> Result<()> {
        self.db.gather()
    }
    fn pack(&mut self) -> Result<()> {
        self.db.pack()
    }
    fn span(&self) -> i64 {
        self.db.span()
    }
    fn put_packed(&mut self, rows: &[Packed<'_>]) -> Result<()> {
        self.db.put_packed(rows)
    }
    fn script(&mut self, sql: &str) -> Result<()> {
        self.db.script(sql)
    }
    fn begin(&mut self) -> Result<()> {
        self.db.begin()
    }
    fn commit(&mut self) -> Result<()> {
        self.db.commit()
    }
    fn rollback(&mut self) {
        self.db.rollback();
    }
    fn take_behind(&mut self) -> bool {
        self.db.take_behind()
    }
    fn dialect(&self, sql: &str) -> String {
        self.db.dialect(sql)
    }
}
