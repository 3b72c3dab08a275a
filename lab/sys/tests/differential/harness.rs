//! Runs a property over random inputs, and checks that it detects a wrong answer.

use std::cell::{Cell, RefCell};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, TestCaseResult, TestRunner};
use selo_sys::Error;

/// Every answer of Selo passes through a tap, which may alter it.
#[derive(Default)]
pub struct Tap {
    answers: Cell<usize>,
    fault: Option<Fault>,
}

#[derive(Clone, Copy)]
struct Fault {
    answer: usize,
    bit: usize,
}

impl Tap {
    /// Passes an answer of bytes; a fault flips one bit. Empty bytes do not count as an answer.
    pub fn bytes(&self, bytes: &mut [u8]) {
        if bytes.is_empty() {
            return;
        }
        if let Some(fault) = self.next() {
            let bit = fault.bit % (bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }

    /// Passes an array by value.
    pub fn array<const N: usize>(&self, mut bytes: [u8; N]) -> [u8; N] {
        self.bytes(&mut bytes);
        bytes
    }

    /// Passes a status and, on success, a value.
    pub fn result<T: Copy + Default + PartialEq>(
        &self,
        result: Result<T, Error>,
    ) -> Result<T, Error> {
        match (self.next(), result) {
            (None, result) => result,
            (Some(_), Ok(_)) => Err(Error::Unknown(99)),
            (Some(_), Err(_)) => Ok(T::default()),
        }
    }

    /// Passes a boolean.
    pub fn answer(&self, yes: bool) -> bool {
        self.next().is_some() ^ yes
    }

    /// The fault, if it belongs to this answer.
    fn next(&self) -> Option<Fault> {
        let answer = self.answers.get();
        self.answers.set(answer + 1);
        self.fault.filter(|fault| fault.answer == answer)
    }
}

/// The property must hold for `cases` inputs. Then, for three more inputs and for each answer of
/// Selo, it must fail when the tap alters that answer.
pub fn check<S: Strategy>(
    cases: u32,
    inputs: S,
    property: impl Fn(S::Value, &Tap) -> TestCaseResult,
) where
    S::Value: Clone,
{
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new(config);
    let held = RefCell::new(0);
    if let Err(error) = runner.run(&inputs, |input| {
        *held.borrow_mut() += 1;
        property(input, &Tap::default())
    }) {
        panic!("{error}");
    }
    assert!(*held.borrow() >= cases, "the property ran");

    let mut faults = 0;
    for round in 0..3 {
        let input = inputs
            .new_tree(&mut runner)
            .expect("the variant makes inputs")
            .current();
        let clean = Tap::default();
        property(input.clone(), &clean).expect("the property holds");
        for answer in 0..clean.answers.get() {
            // The stride is coprime to 8, so the flipped bits spread over bytes and positions.
            let bit = (answer + 1) * 37 + round * 1009;
            let tap = Tap {
                fault: Some(Fault { answer, bit }),
                ..Tap::default()
            };
            assert!(
                property(input.clone(), &tap).is_err(),
                "the property did not notice that answer {answer} was altered"
            );
            faults += 1;
        }
    }
    assert!(faults > 0, "the property shows no answer to its tap");
}

/// Tests the harness: it rejects a property that ignores the answer.
#[test]
#[should_panic(expected = "did not notice that answer 0")]
fn a_blind_property_is_found_out() {
    check(8, proptest::num::u8::ANY, |byte, tap| {
        tap.bytes(&mut [byte]);
        Ok(())
    });
}

/// It rejects a property that passes no answer to the tap.
#[test]
#[should_panic(expected = "shows no answer")]
fn a_property_without_answers_is_found_out() {
    check(8, proptest::num::u8::ANY, |_, _| Ok(()));
}

/// It rejects a false property.
#[test]
#[should_panic(expected = "minimal failing input: byte = 128")]
fn a_false_property_is_found_out() {
    check(
        4096,
        proptest::num::u8::ANY.prop_map(Named),
        |named, tap| {
            let Named(byte) = named;
            tap.bytes(&mut [byte]);
            proptest::prop_assert!(byte < 128);
            Ok(())
        },
    );
}

/// Prints in the form that the test above expects.
#[derive(Clone)]
struct Named(u8);

impl std::fmt::Debug for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "byte = {}", self.0)
    }
}
