//! Guesses of the six digits, with and without the commitment.

use selo_attack::guess::{luck_at_most, with_commitment, without_commitment};
use selo_link::Suite;

#[test]
fn grinding_finds_digits_that_nothing_was_committed_to() {
    let guessed = without_commitment(100, 5, 5_000).expect("runs");
    assert_eq!((guessed.attempts, guessed.matches), (5, 5));
    assert!(guessed.tries > guessed.attempts);
}

#[test]
fn the_same_attacker_has_only_luck_against_a_commitment() {
    for suite in Suite::ALL {
        let guessed = with_commitment(suite, 100, 200).expect("runs");
        assert!(guessed.matches <= luck_at_most(2.0), "{guessed:?}");
        // With a single digit value every guess matches, so the counter is seen to rise.
        let certain = with_commitment(suite, 1, 3).expect("runs");
        assert_eq!(certain.matches, 3);
    }
}

#[test]
fn the_bound_lets_luck_pass_and_grinding_not() {
    assert_eq!(luck_at_most(0.0), 6);
    assert!(luck_at_most(2.0) < 17);
    assert!(luck_at_most(100.0) < 170);
}
