//! A model of shards, leases and joins, which a checker explores completely within bounds: two
//! engines, one shard, one device. Its rules are those of `src/registry/shards.rs` (leases),
//! `src/registry/shared.rs` (claims) and the engine of the gateway (answers).
//!
//! Messages between engine and registry may be delayed for ever or lost. A pause is a delay
//! between two steps of an engine, so an engine may act on a lease that ended long ago: the model
//! has no clock that it could look at. Requests of the node are heard by any engine at any time,
//! also again.

use stateright::{Checker, HasDiscoveries, Model, Property};

const ENGINES: usize = 2;
/// Bounds of the exploration.
const COUNTERS: u8 = 2;
const EPOCHS: u8 = 3;

type Epoch = u8;
type Counter = u8;

/// The protections, of which a test takes out one.
#[derive(Clone, Copy, Debug)]
struct Rules {
    /// The registry grants a join only to the owner of the shard, in its epoch.
    fence: bool,
    /// The registry grants a counter only above the last one.
    counter: bool,
    /// A new owner has a new epoch.
    new_epoch: bool,
    /// An engine answers only in the epoch in which it holds the shard now.
    same_epoch: bool,
}

const ALL: Rules = Rules {
    fence: true,
    counter: true,
    new_epoch: true,
    same_epoch: true,
};

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Engine {
    /// The epoch in which it believes to own the shard.
    believes: Option<Epoch>,
    /// A lease on its way from the registry; `Some(None)`: it has lost the shard.
    lease: Option<Option<Epoch>>,
    /// A claim on its way to the registry.
    claim: Option<(Epoch, Counter)>,
    /// A grant on its way back, with the epoch in which the engine asked.
    grant: Option<(Epoch, Answer)>,
    /// The highest counter that it knows to be used.
    joined: Counter,
}

/// A JOIN-ACCEPT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Answer {
    engine: usize,
    /// The shard's epoch when the registry granted the join.
    epoch: Epoch,
    counter: Counter,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct State {
    owner: Option<usize>,
    epoch: Epoch,
    lease_ended: bool,
    /// The highest counter that the registry has granted.
    granted: Counter,
    engines: [Engine; ENGINES],
    /// The node's last counter.
    asked: Counter,
    answers: Vec<Answer>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Action {
    /// The node makes a JOIN-REQUEST with the next counter.
    Join,
    /// An engine hears a request, and sends a claim.
    Claim(usize, Counter),
    /// The registry decides over a claim.
    Decide(usize),
    /// An engine gets its grant.
    Answer(usize),
    /// Time passes, and nobody has renewed the lease.
    LeaseEnds,
    /// The registry handles a request of an engine to renew or take.
    Hold(usize),
    /// An engine gets the registry's answer to that.
    Learn(usize),
    /// An engine is killed and started again with its journal.
    Restart(usize),
    /// What is on its way to or from an engine is lost.
    Lose(usize),
}

struct Cluster(Rules);

impl Model for Cluster {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::default()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if state.asked < COUNTERS {
            actions.push(Action::Join);
        }
        if state.owner.is_some() && !state.lease_ended {
            actions.push(Action::LeaseEnds);
        }
        for (index, engine) in state.engines.iter().enumerate() {
            if engine.believes.is_some() && engine.claim.is_none() && engine.grant.is_none() {
                let heard = engine.joined + 1..=state.asked;
                actions.extend(heard.map(|counter| Action::Claim(index, counter)));
            }
            if engine.claim.is_some() {
                actions.push(Action::Decide(index));
            }
            if engine.grant.is_some() {
                actions.push(Action::Answer(index));
            }
            match engine.lease {
                Some(_) => actions.push(Action::Learn(index)),
                None => actions.push(Action::Hold(index)),
            }
            if *engine != Engine::default() {
                actions.extend([Action::Restart(index), Action::Lose(index)]);
            }
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Join => state.asked += 1,
            Action::LeaseEnds => state.lease_ended = true,
            Action::Claim(index, counter) => {
                let engine = &mut state.engines[index];
                engine.claim = Some((engine.believes?, counter));
            }
            Action::Decide(index) => self.decide(&mut state, index)?,
            Action::Answer(index) => self.answer(&mut state, index)?,
            Action::Hold(index) => self.hold(&mut state, index),
            Action::Learn(index) => {
                let engine = &mut state.engines[index];
                engine.believes = engine.lease.take()?;
            }
            Action::Restart(index) => {
                // The journal has the joins that it answered.
                let own = state.answers.iter().filter(|it| it.engine == index);
                let joined = own.map(|it| it.counter).max().unwrap_or(0);
                state.engines[index] = Engine {
                    joined,
                    ..Engine::default()
                };
                if state.owner == Some(index) {
                    self.own(&mut state, index);
                }
            }
            Action::Lose(index) => {
                let engine = &mut state.engines[index];
                (engine.claim, engine.grant, engine.lease) = (None, None, None);
            }
        }
        (state != *last).then_some(state)
    }

    fn within_boundary(&self, state: &State) -> bool {
        state.epoch <= EPOCHS
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("in one epoch one engine answers", |_, state: &State| {
                pairs(&state.answers).all(|(a, b)| a.epoch != b.epoch || a.engine == b.engine)
            }),
            Property::always("a join is answered once", |_, state: &State| {
                pairs(&state.answers).all(|(a, b)| a.counter != b.counter)
            }),
            Property::sometimes("both engines answer", |_, state: &State| {
                pairs(&state.answers).any(|(a, b)| a.engine != b.engine)
            }),
            Property::sometimes("one engine answers in two epochs", |_, state: &State| {
                pairs(&state.answers).any(|(a, b)| a.engine == b.engine && a.epoch != b.epoch)
            }),
        ]
    }
}

fn pairs(answers: &[Answer]) -> impl Iterator<Item = (&Answer, &Answer)> {
    let later = |(at, a)| answers[at + 1..].iter().map(move |b| (a, b));
    answers.iter().enumerate().flat_map(later)
}

impl Cluster {
    fn decide(&self, state: &mut State, index: usize) -> Option<()> {
        let (epoch, counter) = state.engines[index].claim.take()?;
        let owns = state.owner == Some(index) && state.epoch == epoch;
        let fresh = counter > state.granted;
        if (owns || !self.0.fence) && (fresh || !self.0.counter) {
            state.granted = state.granted.max(counter);
            let granted = Answer {
                engine: index,
                epoch: state.epoch,
                counter,
            };
            state.engines[index].grant = Some((epoch, granted));
        }
        Some(())
    }

    fn answer(&self, state: &mut State, index: usize) -> Option<()> {
        let engine = &mut state.engines[index];
        let (epoch, granted) = engine.grant.take()?;
        if engine.believes != Some(epoch) && self.0.same_epoch {
            return Some(());
        }
        engine.joined = engine.joined.max(granted.counter);
        state.answers.push(granted);
        Some(())
    }

    /// Renews the lease of the owner. Another engine takes the shard if the lease has ended.
    fn hold(&self, state: &mut State, index: usize) {
        if state.owner == Some(index) {
            state.lease_ended = false;
            // It frees what it does not know to own, and takes it again.
            if state.engines[index].believes != Some(state.epoch) {
                self.own(state, index);
            }
        } else if state.owner.is_none() || state.lease_ended {
            self.own(state, index);
        }
        let owns = state.owner == Some(index);
        state.engines[index].lease = Some(owns.then_some(state.epoch));
    }

    fn own(&self, state: &mut State, index: usize) {
        state.owner = Some(index);
        state.lease_ended = false;
        if self.0.new_epoch || state.epoch == 0 {
            state.epoch += 1;
        }
    }
}

/// Explores all states, or stops at the first one that breaks a rule.
fn check(rules: Rules) -> impl Checker<Cluster> {
    Cluster(rules)
        .checker()
        .finish_when(HasDiscoveries::AnyFailures)
        .threads(2)
        .spawn_bfs()
        .join()
}

#[test]
fn no_join_is_answered_twice_and_no_epoch_has_two_engines() {
    let checker = check(ALL);
    checker.assert_properties();
    // The bounds must not make the model trivial.
    assert!(
        checker.unique_state_count() > 10_000,
        "{}",
        checker.unique_state_count()
    );
    println!("{} states", checker.unique_state_count());
}

#[test]
fn without_the_fence_a_paused_engine_answers_in_the_epoch_of_another() {
    let checker = check(Rules {
        fence: false,
        ..ALL
    });
    let path = checker.assert_any_discovery("in one epoch one engine answers");
    let last = path.last_state();
    assert!(last.answers.len() >= 2, "{last:?}");
}

#[test]
fn without_the_counter_a_join_is_answered_twice() {
    let checker = check(Rules {
        counter: false,
        ..ALL
    });
    checker.assert_any_discovery("a join is answered once");
}

#[test]
fn without_a_new_epoch_for_a_new_owner_the_fence_does_not_hold() {
    let checker = check(Rules {
        new_epoch: false,
        ..ALL
    });
    checker.assert_any_discovery("in one epoch one engine answers");
}

#[test]
fn the_engines_own_check_saves_answers_and_the_registry_does_not_rely_on_it() {
    check(Rules {
        same_epoch: false,
        ..ALL
    })
    .assert_properties();
}
