//! An attack that always reports "refused" proves nothing. Each attack runs against a gateway
//! with a fault that it must find, and against the same gateway without the fault.

mod weak;

use std::sync::{Mutex, MutexGuard, PoisonError};

use selo_attack::case::{LinkOutcome, LinkVerdict};
use selo_attack::target::Target;
use selo_attack::{Error, Result, classic, join, pair};
use selo_link::Suite;
use weak::{Fault, WeakGateway};

const SUITE: Suite = Suite::ChaChaPolyBlake2s;

type Attack = fn(&mut dyn Target, Suite) -> Result<LinkOutcome>;

fn careful_mitm(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    pair::mitm(target, suite, pair::careful)
}

fn careless_mitm(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    pair::mitm(target, suite, |_| true)
}

fn careful_hybrid_mitm(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    pair::hybrid::mitm(target, suite, pair::careful)
}

fn careless_hybrid_mitm(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    pair::hybrid::mitm(target, suite, |_| true)
}

/// The fault that each attack must find.
const FOUND: [(&str, Attack, Fault); 26] = [
    ("join mitm", join::mitm, Fault::NoJoinTag),
    ("join replay", join::replay, Fault::NoWindow),
    ("join replay", join::replay, Fault::NoJoinCounter),
    ("join forge", join::forge, Fault::NoDataTag),
    ("join reflect", join::reflect, Fault::OwnFrames),
    ("join downgrade", join::downgrade, Fault::NoDataTag),
    ("join downgrade", join::downgrade, Fault::TakesClassic),
    ("join flood", join::flood, Fault::EagerJoin),
    ("join flood", join::flood, Fault::Hoarder),
    ("join flood", join::flood, Fault::EasilyBusy),
    ("join flood", join::flood, Fault::BlamesAddresses),
    ("join guess", join::guess, Fault::NoDataTag),
    ("pair replay", pair::replay, Fault::OldKey),
    ("pair forge", pair::forge, Fault::NoCommitment),
    ("pair reflect", pair::reflect, Fault::ZeroKey),
    ("pair downgrade", pair::downgrade, Fault::NoCommitment),
    ("pair flood", pair::flood, Fault::AlwaysPairs),
    ("pair guess", pair::guess, Fault::EndlessAttempts),
    ("hybrid replay", pair::hybrid::replay, Fault::OldKey),
    ("hybrid forge", pair::hybrid::forge, Fault::NoCommitment),
    ("hybrid reflect", pair::hybrid::reflect, Fault::OwnFrames),
    (
        "hybrid downgrade",
        pair::hybrid::downgrade,
        Fault::NoCommitment,
    ),
    ("hybrid flood", pair::hybrid::flood, Fault::AlwaysPairs),
    ("hybrid flood", pair::hybrid::flood, Fault::EndlessAttempts),
    (
        "hybrid mitm, careless operator",
        careless_hybrid_mitm,
        Fault::Nothing,
    ),
    (
        "pair mitm, careless operator",
        careless_mitm,
        Fault::Nothing,
    ),
];

/// The faults that a test looks for: the first one of each attack, or all with SELO_TEST_ALL=1
/// (`make test-all`).
fn faults() -> Vec<(&'static str, Attack, Fault)> {
    let mut faults = FOUND.to_vec();
    if std::env::var_os("SELO_TEST_ALL").is_none() {
        faults.dedup_by_key(|(name, ..)| *name);
    }
    faults
}

/// A flood is judged by the memory of the whole process, so no gateway of another test may hoard
/// memory at the same time.
fn alone() -> MutexGuard<'static, ()> {
    static PROCESS: Mutex<()> = Mutex::new(());
    PROCESS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn only_this_machine_is_attacked() {
    let mut elsewhere = WeakGateway::start(Fault::Nothing).at("192.0.2.1:7356");
    for (name, attack, _) in FOUND {
        match attack(&mut elsewhere, SUITE) {
            Err(Error::NotLoopback { .. }) => {}
            other => panic!("{name}: {other:?}"),
        }
    }
    for attack in [
        classic::mitm,
        classic::replay,
        classic::forge,
        classic::reflect,
        classic::flood,
    ] {
        let result = attack(&mut elsewhere);
        assert!(
            matches!(result, Err(Error::NotLoopback { .. })),
            "{result:?}"
        );
    }
}

#[test]
fn each_attack_finds_the_fault_that_it_looks_for() {
    let _alone = alone();
    for (name, attack, fault) in faults() {
        let mut gateway = WeakGateway::start(fault);
        match attack(&mut gateway, SUITE) {
            Ok(outcome) => assert_eq!(outcome.verdict, LinkVerdict::Broken, "{name}: {outcome:#?}"),
            Err(error) => panic!("{name} against {fault:?}: {error}"),
        }
    }
}

#[test]
fn the_same_gateway_without_the_fault_withstands() {
    let _alone = alone();
    let mut careful: Vec<(&str, Attack)> = FOUND.map(|(name, attack, _)| (name, attack)).into();
    careful.dedup_by_key(|(name, _)| *name);
    careful.retain(|(name, _)| !name.ends_with("careless operator"));
    careful.push(("pair mitm", careful_mitm));
    careful.push(("hybrid mitm", careful_hybrid_mitm));
    for (name, attack) in careful {
        let mut gateway = WeakGateway::start(Fault::Nothing);
        match attack(&mut gateway, SUITE) {
            Ok(outcome) => assert_eq!(
                outcome.verdict,
                LinkVerdict::Refused,
                "{name}: {outcome:#?}"
            ),
            Err(error) => panic!("{name}: {error}"),
        }
    }
}
