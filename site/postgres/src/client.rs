//! A client of PostgreSQL that waits for each answer for a limited time. A server that accepts
//! connections and says nothing, or stops within an answer, must not hold a thread up for ever:
//! `statement_timeout` is the server's own limit, and TCP only sees that its machine is there.

use std::fmt;
use std::future::{Future, poll_fn};
use std::io::Cursor;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use futures_util::SinkExt;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::types::ToSql;
use tokio_postgres::{AsyncMessage, Config, Connection, IsolationLevel, Row, Socket, Statement};

use crate::problem::Problem;

/// Time in which a closing client says farewell, or rolls back.
const FAREWELL: Duration = Duration::from_millis(500);

/// Messages of other sessions that wait to be read. Further ones are lost.
const MESSAGES: usize = 256;

type Done<T> = Result<T, Problem>;
type Parameters<'a> = &'a [&'a (dyn ToSql + Sync)];

/// Runs the tasks of a connection, while a caller waits.
#[derive(Clone)]
struct Waiter {
    runtime: Arc<Runtime>,
    /// Maximum wait for an answer.
    limit: Duration,
}

impl Waiter {
    fn wait<T>(&self, answer: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Done<T> {
        let limited = async { timeout(self.limit, answer).await };
        match self.runtime.block_on(limited) {
            Ok(answer) => Ok(answer?),
            Err(_) => Err(Problem::Silent(self.limit)),
        }
    }
}

/// Messages of other sessions (`NOTIFY`), for a session that listens.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Heard {
    pub messages: Vec<String>,
    /// True if more came than could wait.
    pub lost: bool,
}

/// See the [module](self).
pub struct Client {
    inner: Option<tokio_postgres::Client>,
    messages: Receiver<String>,
    lost: Arc<AtomicBool>,
    /// Reads and writes the socket.
    task: JoinHandle<()>,
    waiter: Waiter,
}

/// The runtime of a client, which may outlive it.
pub fn runtime() -> std::io::Result<Arc<Runtime>> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map(Arc::new)
}

/// The same with a thread of its own, which reads and writes the socket while nobody waits.
pub fn busy_runtime() -> std::io::Result<Arc<Runtime>> {
    Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("postgres")
        .enable_all()
        .build()
        .map(Arc::new)
}

/// A COPY that was started.
#[derive(Debug)]
pub struct Copy(JoinHandle<Result<u64, tokio_postgres::Error>>);

impl Client {
    /// Connects. `limit` is the maximum wait for the connection, and for each answer.
    pub fn connect<T>(
        runtime: &Arc<Runtime>,
        config: &Config,
        tls: T,
        limit: Duration,
    ) -> Done<Client>
    where
        T: MakeTlsConnect<Socket>,
        T::Stream: Send + 'static,
    {
        let waiter = Waiter {
            runtime: runtime.clone(),
            limit,
        };
        let (client, connection) = waiter.wait(config.connect(tls))?;
        let (sender, messages) = channel(MESSAGES);
        let lost = Arc::new(AtomicBool::new(false));
        let task = runtime.spawn(serve(connection, sender, lost.clone()));
        Ok(Client {
            inner: Some(client),
            messages,
            lost,
            task,
            waiter,
        })
    }

    fn inner(&self) -> Done<&tokio_postgres::Client> {
        self.inner.as_ref().ok_or(Problem::Closed)
    }

    pub fn is_closed(&self) -> bool {
        self.inner
            .as_ref()
            .is_none_or(tokio_postgres::Client::is_closed)
    }

    /// Runs statements without parameters.
    pub fn batch_execute(&mut self, sql: &str) -> Done<()> {
        self.waiter.wait(self.inner()?.batch_execute(sql))
    }

    pub fn prepare(&mut self, sql: &str) -> Done<Statement> {
        self.waiter.wait(self.inner()?.prepare(sql))
    }

    /// The rows of a prepared statement.
    pub fn rows(&mut self, of: &Statement, parameters: Parameters<'_>) -> Done<Vec<Row>> {
        self.waiter.wait(self.inner()?.query(of, parameters))
    }

    /// Executes a prepared statement. Returns the number of rows that it changed.
    pub fn change(&mut self, by: &Statement, parameters: Parameters<'_>) -> Done<u64> {
        self.waiter.wait(self.inner()?.execute(by, parameters))
    }

    /// Starts a prepared COPY FROM STDIN with these rows, as pieces of its format. With
    /// [`busy_runtime`] they are sent beside what the caller does next. Later statements wait for it.
    pub fn start_copy(&mut self, by: &Statement, pieces: Vec<Vec<u8>>) -> Done<Copy> {
        let copy = self.inner()?.copy_in::<_, Cursor<Vec<u8>>>(by);
        let sink = self.waiter.wait(copy)?;
        let task = self.waiter.runtime.spawn(async move {
            let mut sink = pin!(sink);
            for piece in pieces {
                sink.send(Cursor::new(piece)).await?;
            }
            sink.finish().await
        });
        Ok(Copy(task))
    }

    /// Waits for the end of a COPY. Returns the number of its rows.
    pub fn finish_copy(&mut self, copy: Copy) -> Done<u64> {
        let limited = async { timeout(self.waiter.limit, copy.0).await };
        match self.waiter.runtime.block_on(limited) {
            Ok(Ok(done)) => Ok(done?),
            Ok(Err(_)) => Err(Problem::Closed),
            Err(_) => Err(Problem::Silent(self.waiter.limit)),
        }
    }

    /// Sets the maximum wait for each answer from now on.
    pub fn limit(&mut self, limit: Duration) {
        self.waiter.limit = limit;
    }

    /// True if the server answers within this time.
    pub fn answers(&mut self, limit: Duration) -> bool {
        let waiter = Waiter {
            runtime: self.waiter.runtime.clone(),
            limit,
        };
        self.inner()
            .is_ok_and(|inner| waiter.wait(inner.batch_execute("")).is_ok())
    }

    /// Waits for messages of other sessions, for at most this time.
    pub fn hear(&mut self, limit: Duration) -> Done<Heard> {
        let next = self.messages.recv();
        let next = self
            .waiter
            .runtime
            .block_on(async { timeout(limit, next).await });
        let mut heard = Heard::default();
        match next {
            Ok(Some(message)) => heard.messages.push(message),
            Ok(None) => return Err(Problem::Closed),
            Err(_) => {}
        }
        while let Ok(message) = self.messages.try_recv() {
            heard.messages.push(message);
        }
        heard.lost = self.lost.swap(false, Relaxed);
        Ok(heard)
    }

    pub fn transaction(&mut self) -> Done<Transaction<'_>> {
        self.begin(|builder| builder)
    }

    /// A transaction that reads one state of the database.
    pub fn snapshot(&mut self) -> Done<Transaction<'_>> {
        self.begin(|builder| {
            builder
                .isolation_level(IsolationLevel::RepeatableRead)
                .read_only(true)
        })
    }

    fn begin<'a>(
        &'a mut self,
        set: impl FnOnce(
            tokio_postgres::TransactionBuilder<'a>,
        ) -> tokio_postgres::TransactionBuilder<'a>,
    ) -> Done<Transaction<'a>> {
        let waiter = self.waiter.clone();
        let inner = self.inner.as_mut().ok_or(Problem::Closed)?;
        let begun = waiter.wait(set(inner.build_transaction()).start())?;
        Ok(Transaction {
            inner: Some(begun),
            waiter,
        })
    }
}

/// Reads and writes the socket of a connection until it ends.
async fn serve<S, T>(
    mut connection: Connection<S, T>,
    messages: Sender<String>,
    lost: Arc<AtomicBool>,
) where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    // The client gets an error too.
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        if let AsyncMessage::Notification(message) = message
            && messages.try_send(message.payload().to_owned()).is_err()
        {
            lost.store(true, Relaxed);
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // The task ends when the client is gone, and closes the socket. It runs only while
        // somebody waits for it.
        drop(self.inner.take());
        let task = &mut self.task;
        let ended = self
            .waiter
            .runtime
            .block_on(async { timeout(FAREWELL, &mut *task).await });
        if ended.is_err() {
            task.abort();
            let _ = self.waiter.runtime.block_on(task);
        }
    }
}

/// A transaction. It is rolled back unless it is committed.
pub struct Transaction<'a> {
    inner: Option<tokio_postgres::Transaction<'a>>,
    waiter: Waiter,
}

impl Transaction<'_> {
    pub fn commit(mut self) -> Done<()> {
        let inner = self.inner.take().ok_or(Problem::Closed)?;
        self.waiter.wait(inner.commit())
    }

    /// Runs statements without parameters.
    pub fn batch_execute(&mut self, sql: &str) -> Done<()> {
        let inner = self.inner.as_ref().ok_or(Problem::Closed)?;
        self.waiter.wait(inner.batch_execute(sql))
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // Its locks must not wait for the next use of the connection.
        if let Some(inner) = self.inner.take() {
            self.waiter.limit = FAREWELL;
            let _ = self.waiter.wait(inner.rollback());
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Client")
    }
}

impl fmt::Debug for Transaction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Transaction")
    }
}

/// Statements on a connection or in a transaction.
pub trait Query {
    fn query(&mut self, sql: &str, parameters: Parameters<'_>) -> Done<Vec<Row>>;
    fn query_opt(&mut self, sql: &str, parameters: Parameters<'_>) -> Done<Option<Row>>;
    fn query_one(&mut self, sql: &str, parameters: Parameters<'_>) -> Done<Row>;
    fn execute(&mut self, sql: &str, parameters: Parameters<'_>) -> Done<u64>;
}

macro_rules! query {
    ($($of:ty),+) => {$(
        impl Query for $of {
            fn query(&mut self, sql: &str, parameters: Parameters<'_>) -> Done<Vec<Row>> {
                let inner = self.inner.as_ref().ok_or(Problem::Closed)?;
                self.waiter.wait(inner.query(sql, parameters))
            }

            fn query_opt(&mut self, sql: &str, parameters: Parameters<'_>) -> Done<Option<Row>> {
                let inner = self.inner.as_ref().ok_or(Problem::Closed)?;
                self.waiter.wait(inner.query_opt(sql, parameters))
            }

            fn query_one(&mut self, sql: &str, parameters: Parameters<'_>) -> Done<Row> {
                let inner = self.inner.as_ref().ok_or(Problem::Closed)?;
                self.waiter.wait(inner.query_one(sql, parameters))
            }

            fn execute(&mut self, sql: &str, parameters: Parameters<'_>) -> Done<u64> {
                let inner = self.inner.as_ref().ok_or(Problem::Closed)?;
                self.waiter.wait(inner.execute(sql, parameters))
            }
        }
    )+};
}

query!(Client, Transaction<'_>);
