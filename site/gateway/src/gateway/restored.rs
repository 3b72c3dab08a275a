//! What the state directory holds of earlier runs, read at the start.

use std::collections::HashMap;

use tracing::{debug, error, info, warn};

use crate::delivery::{Mark, Names};
use crate::engine::{Costs, Engine, Settings, SystemRandom};
use crate::error::{Error, Result};
use crate::journal::{self, Closed, Position, Summary};
use crate::keys::KeyFile;
use crate::registry::{Learnt, Place, Registry, Shared};
use crate::state::StateDir;

use super::config::Config;

/// What the state directory holds of earlier runs.
pub(super) struct Restored {
    pub(super) registry: Registry,
    /// A connection for claims of joins, if other gateways share the registry, and the last
    /// change of the registry that this gateway knows.
    pub(super) shared: Option<(Box<dyn Shared>, i64)>,
    pub(super) engine: Engine,
    pub(super) mark: Mark,
    pub(super) keys: KeyFile,
    pub(super) journal: journal::Writer,
    /// Where delivery continues.
    pub(super) from: Position,
}

impl Restored {
    pub(super) fn read(
        config: &Config,
        state: &StateDir,
        place: &dyn Place,
        names: &Names,
    ) -> Result<Restored> {
        let mut registry = place.open()?;
        // Ask for the last change before the devices are read, so that none is missed.
        let shared = match place.share()? {
            Some(mut shared) => {
                let since = shared.last_change()?;
                Some((shared, since))
            }
            None => None,
        };
        let mut engine = new_engine(config)?;
        match (&shared, config.lease) {
            (None, Some(_)) => return Err(Error::NotShared),
            (None, None) => {}
            (Some(_), lease) => {
                engine.claim_joins();
                if lease.is_some() {
                    engine.own_shards();
                }
            }
        }
        load(&registry, &mut engine, names)?;
        let (mark, delivered) = Mark::open(&state.delivered())?;
        let settings = journal::Settings {
            sync: config.sync,
            anchor: journal::anchor::path(state.path()),
            segment_bytes: config.segment_bytes,
            ..journal::Settings::default()
        };
        let (keys, stored) = KeyFile::open(&state.keys())?;
        engine.begin_restore(stored).map_err(Error::Random)?;
        let (journal, summary) = journal::open(&state.journal(), settings, delivered, &mut engine)?;
        let joined = engine.end_restore();
        // Overwrite the keys of ended sessions, even if the gateway was killed before it could
        // do so.
        keys.keep_only(&engine.used_key_slots())?;
        report(&summary, &engine);
        learn_joined(&mut registry, &joined)?;
        let from = first_undelivered(state, delivered)?;
        Ok(Restored {
            registry,
            shared,
            engine,
            mark,
            keys,
            journal,
            from,
        })
    }
}

fn new_engine(config: &Config) -> Result<Engine> {
    let costs = Costs::measured();
    let mut limits = config.limits;
    limits.checks = limits.checks.for_costs(costs);
    debug!(
        join = ?costs.join,
        packet = ?costs.packet,
        joins_a_second = limits.checks.strangers.per_second(),
        "measured the cost of tag checks; checks for unknown senders are limited"
    );
    let settings = Settings { limits };
    Engine::new(settings, Box::new(SystemRandom)).map_err(Error::Random)
}

/// Loads all devices of the registry into the engine.
fn load(registry: &Registry, engine: &mut Engine, names: &Names) -> Result<()> {
    engine.reserve(registry.count()? as usize);
    let mut out = crate::engine::Output::default();
    registry.for_each_whole(|record| {
        engine.set_device(record.device(), &mut out);
        names.set(&record);
    })
}

/// Writes join counters that the journal holds and the registry lacks.
fn learn_joined(registry: &mut Registry, joined: &[(u32, u32)]) -> Result<()> {
    let learnt: HashMap<u32, Learnt> = joined
        .iter()
        .map(|(row, counter)| {
            let new = Learnt {
                join_counter: Some(*counter),
                seen: None,
            };
            (*row, new)
        })
        .collect();
    registry.learn(&learnt)
}

/// Logs the result of reading the journal.
fn report(summary: &Summary, engine: &Engine) {
    let sessions = engine.counters().get(crate::counters::Count::Sessions);
    let kept = format!(
        "kept {} records with {} accepted packets",
        summary.records, summary.accepted
    );
    for damage in &summary.damage {
        error!(
            file = %damage.path.display(), from = damage.from, to = damage.to, %kept,
            "the journal is damaged: these bytes are skipped and all sessions end; nodes rejoin automatically"
        );
    }
    match summary.closed {
        None | Some(Closed::Damage) => {}
        Some(Closed::NoAnchor) => warn!(
            %kept, why = Closed::NoAnchor.why(),
            hint = "give the gateway a directory on tmpfs: RuntimeDirectory= in a systemd unit, or RUNTIME_DIRECTORY in its environment",
            "all sessions end at every start; nodes rejoin automatically"
        ),
        Some(closed) => warn!(
            %kept, why = closed.why(),
            "all sessions end; nodes rejoin automatically"
        ),
    }
    if summary.torn {
        info!(%kept, "the last record is incomplete and was discarded; nothing depended on it");
    }
    if summary.segments > 0 {
        info!(sessions, records = summary.records, "journal read");
    }
}

/// The position where delivery continues: the stored position, or the first record that the
/// journal still holds.
fn first_undelivered(state: &StateDir, delivered: Position) -> Result<Position> {
    let path = state.journal();
    let numbers = journal::segment::list(&path).map_err(|source| Error::Read { path, source })?;
    let first = numbers
        .into_iter()
        .find(|number| *number >= delivered.segment);
    Ok(match first {
        Some(number) if number == delivered.segment => delivered,
        Some(segment) => Position { segment, offset: 0 },
        None => delivered,
    })
}
