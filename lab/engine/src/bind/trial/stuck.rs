//! Trials that cannot succeed, whatever they call.

use crate::bind::bound::Outcome;

/// So many trials one after another that fail in the library's own files, or at the same place, end those
/// of an algorithm: no other call makes them compile.
const MOST: usize = 16;

/// How many trials have failed so, and where the last one did.
#[derive(Default)]
pub(super) struct Stuck {
    count: usize,
    place: Option<String>,
}

impl Stuck {
    pub(super) fn note(&mut self, outcome: &Outcome) {
        let place = outcome.place_in_library();
        let is_same = place.is_some() && place == self.place;
        let in_library = outcome.fails_in_library() && !outcome.lacks_a_definition();
        self.count = if in_library || is_same {
            self.count + 1
        } else {
            0
        };
        self.place = place;
    }

    pub(super) fn is_hopeless(&self) -> bool {
        self.count >= MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(message: &str) -> Outcome {
        Outcome::DoesNotBuild {
            message: message.to_owned(),
        }
    }

    #[test]
    fn trials_that_fail_at_one_place_of_the_library_are_hopeless() {
        let header = "a/cipher.h:9:1: warning: return type defaults to 'int'\nx/glue.c:3:1: error: storage class";
        let mut stuck = Stuck::default();
        for count in 0..=MOST {
            assert_eq!(stuck.is_hopeless(), count == MOST + 1);
            stuck.note(&failed(header));
        }
        assert!(stuck.is_hopeless());
    }

    #[test]
    fn other_places_and_other_outcomes_begin_again() {
        let mut stuck = Stuck::default();
        for count in 0..4 * MOST {
            let header =
                format!("a/cipher.h:{count}:1: warning: unused\nx/glue.c:3:1: error: no such type");
            stuck.note(&failed(&header));
        }
        assert!(!stuck.is_hopeless());
        for _ in 0..MOST {
            stuck.note(&failed("a/cipher.c:9:1: error: no such type"));
        }
        assert!(stuck.is_hopeless());
        stuck.note(&Outcome::NoVector);
        assert!(!stuck.is_hopeless());
    }
}
