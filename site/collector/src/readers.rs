//! Connections that only read, each with a thread of its own: a slow question delays
//! neither the writer nor the other questions.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::blocking::within;
use crate::db::{Database, Location};
use crate::error::{Error, Result};

const THREADS: usize = 3;
/// Questions that wait; one more is told to come again.
const QUEUE: usize = 256;
/// An answer that takes longer is nobody's.
const DEADLINE: Duration = Duration::from_secs(30);

type Question = Box<dyn FnOnce(&mut dyn Database) + Send>;

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
    /// Starts the threads; they end when every handle is gone.
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
                .map_err(|source| Error::Unavailable {
                    place: "of threads".into(),
                    reason: source.to_string(),
                })?;
            threads.push(thread);
        }
        Ok((Readers { questions }, threads))
    }

    pub async fn read<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut dyn Database) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let question: Question = Box::new(move |db| {
            // Nobody may wait for the answer any more.
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
                reason: format!("{QUEUE} questions wait already"),
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
