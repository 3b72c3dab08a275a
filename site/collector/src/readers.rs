//! Read-only connections, each with its own thread. A slow query delays neither the writer nor
//! the other readers.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::blocking::within;
use crate::db::{Database, Location};
use crate::error::{Error, Result};

const THREADS: usize = 3;
/// Maximum waiting queries. Further ones are refused as busy.
const QUEUE: usize = 256;
/// Time limit of a query; after it, the caller has given up.
const DEADLINE: Duration = Duration::from_secs(30);

type Question = Box<dyn FnOnce(&mut dyn Database) + Send>;

/// A handle to the reader threads.
#[derive(Clone)]
pub struct Readers {
    questions: SyncSender<Question>,
}

impl std::fmt::Debug for Readers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Readers")
    }
}

impl Readers {
    /// Starts the threads. They end when every handle is dropped.
    pub fn start(place: &Location) -> Result<(Readers, Vec<JoinHandle<()>>)> {
        let (questions, waiting) = sync_channel::<Question>(QUEUE);
        let waiting = Arc::new(Mutex::new(waiting));
        let mut threads = Vec::new();
        for _ in 0..THREADS {
            let mut db = place.open_reader()?;
            let waiting = waiting.clone();
            let thread = std::thread::Builder::new()
                .name("collector-reader".into())
                .spawn(move || answer(&mut *db, &waiting))
                .map_err(Error::Thread)?;
            threads.push(thread);
        }
        Ok((Readers { questions }, threads))
    }

    /// Runs a query on one of the threads. Returns [`Error::Busy`] after the time limit, and
    /// [`Error::Unavailable`] if too many queries are waiting.
    pub async fn read<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut dyn Database) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let question: Question = Box::new(move |db| {
            // Skip the query if its caller has given up.
            if !reply.is_closed() {
                let done = db.ready().and_then(|()| question(db));
                let _ = reply.send(done);
            }
        });
        match self.questions.try_send(question) {
            Ok(()) => {
                let answered = async { answer.await.map_err(|_| Error::Stopping)? };
                within("the database", DEADLINE, answered).await
            }
            Err(TrySendError::Full(_)) => Err(Error::Unavailable {
                place: "of the collector".into(),
                reason: format!("{QUEUE} queries are already waiting"),
            }),
            Err(TrySendError::Disconnected(_)) => Err(Error::Stopping),
        }
    }
}

fn answer(db: &mut dyn Database, waiting: &Mutex<Receiver<Question>>) {
    loop {
        let next = waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv();
        match next {
            Ok(question) => question(db),
            Err(_) => return,
        }
    }
}
