//! The words that a survey of a library gives for a paper's table of libraries.

use std::collections::BTreeSet;

use selo_engine::library::NO_LICENCE;
use selo_engine::survey::{Mark, Question, SurveyLine, SurveyVerdict};

use super::cell::{CellStatus, Figure};
use super::lookup::{Found, Gap, Ours};
use crate::paper::SurveyQuestion;

/// The paper's word for a test that was passed.
const OK: &str = "OK";

/// The prefix of the algorithms that the papers' tables of libraries are about.
const AES: &str = "aes-";

impl Ours<'_> {
    pub(super) fn surveyed(
        &self,
        board: &str,
        library: &str,
        question: SurveyQuestion,
    ) -> Result<Found, Gap> {
        let of_library = |line: &&SurveyLine| {
            line.library == library && line.board == board && line.algorithm.starts_with(AES)
        };
        let lines: Vec<&SurveyLine> = self.surveys.iter().filter(of_library).collect();
        if lines.is_empty() {
            let tried = self.libraries.iter().any(|known| known.name == library);
            return Err(if tried {
                only(format!("the lab found no way to call an AES of {library}"))
            } else {
                Gap {
                    status: CellStatus::NotMeasured,
                    reason: format!("no survey yet; run: selo lab survey {library}"),
                }
            });
        }
        let (words, source) = match question {
            SurveyQuestion::Keys => keys(&lines)?,
            SurveyQuestion::Modes => modes(&lines)?,
            SurveyQuestion::Licence => licence(&lines)?,
            SurveyQuestion::Fits => verdict(&called(&lines)?, Question::Fits)?,
            SurveyQuestion::Cipher => cipher(&lines)?,
            SurveyQuestion::FreshIv => fresh_iv(&lines, library)?,
        };
        Ok(Found {
            figure: Figure::Words(words),
            rows: Vec::new(),
            source,
        })
    }
}

/// A cell that a survey cannot fill.
fn only(reason: String) -> Gap {
    Gap {
        status: CellStatus::PublishedOnly,
        reason,
    }
}

fn answer(line: &SurveyLine, question: Question) -> Mark {
    let found = line.answers.iter().find(|a| a.question == question);
    found.map_or(Mark::NotTold, |answer| answer.mark)
}

/// The lines of algorithms that the lab could call.
fn called<'a>(lines: &[&'a SurveyLine]) -> Result<Vec<&'a SurveyLine>, Gap> {
    let told = |line: &&&SurveyLine| line.verdict != SurveyVerdict::NotTold;
    let called: Vec<&SurveyLine> = lines.iter().filter(told).copied().collect();
    if called.is_empty() {
        let why = lines.first().map_or("", |line| &line.why);
        return Err(only(format!("not told: {why}")));
    }
    Ok(called)
}

fn keys(lines: &[&SurveyLine]) -> Result<(String, String), Gap> {
    let sizes: BTreeSet<&str> = called(lines)?
        .iter()
        .filter_map(|line| line.algorithm.split('-').nth(1))
        .collect();
    let sizes: Vec<&str> = sizes.into_iter().collect();
    Ok((
        sizes.join(" "),
        "key sizes that the lab could call".to_owned(),
    ))
}

fn modes(lines: &[&SurveyLine]) -> Result<(String, String), Gap> {
    let called = called(lines)?;
    let mut modes = Vec::new();
    for (name, suffix) in [("ECB", ""), ("ECB", "ecb"), ("CBC", "cbc"), ("CTR", "ctr")] {
        let of_mode = |line: &&SurveyLine| mode(line) == suffix;
        if called.iter().any(of_mode) && !modes.contains(&name) {
            modes.push(name);
        }
    }
    if modes.is_empty() {
        return Err(only(
            "the lab could call none of ECB, CBC and CTR".to_owned(),
        ));
    }
    let source = "modes that the lab could call; a function for one block counts as ECB";
    Ok((modes.join(" "), source.to_owned()))
}

/// The mode of an algorithm such as `aes-128-cbc`; empty for single blocks.
fn mode<'a>(line: &&'a SurveyLine) -> &'a str {
    line.algorithm.splitn(3, '-').nth(2).unwrap_or_default()
}

fn licence(lines: &[&SurveyLine]) -> Result<(String, String), Gap> {
    let licence = lines.first().map_or(NO_LICENCE, |line| &line.licence);
    if licence == NO_LICENCE {
        return Err(only("no licence was recognised in its files".to_owned()));
    }
    Ok((licence.to_owned(), "as its files state it".to_owned()))
}

/// `X` if the answer is no for one of the lines, `OK` if it is yes for all that have one.
fn verdict(lines: &[&SurveyLine], question: Question) -> Result<(String, String), Gap> {
    let of = |mark: Mark| -> Vec<&str> {
        let marked = lines.iter().filter(|line| answer(line, question) == mark);
        marked.map(|line| line.algorithm.as_str()).collect()
    };
    let (no, yes) = (of(Mark::No), of(Mark::Yes));
    if !no.is_empty() {
        return Ok(("X".to_owned(), format!("not of {}", no.join(", "))));
    }
    if yes.is_empty() {
        let why = lines.first().map_or("", |line| &line.why);
        return Err(only(format!("not told: {why}")));
    }
    Ok((OK.to_owned(), format!("of {}", yes.join(", "))))
}

/// The verdict on single blocks, or else on whatever the library offers.
fn cipher(lines: &[&SurveyLine]) -> Result<(String, String), Gap> {
    let block = |line: &&&SurveyLine| ["", "ecb"].contains(&mode(line));
    let blocks: Vec<&SurveyLine> = lines.iter().filter(block).copied().collect();
    let chosen = if blocks.is_empty() { lines } else { &blocks };
    verdict(chosen, Question::Conforms)
}

/// Whether each message of CBC gets a fresh IV. No answer applies where the caller gives the IV.
fn fresh_iv(lines: &[&SurveyLine], library: &str) -> Result<(String, String), Gap> {
    let cbc = |line: &&&SurveyLine| mode(line) == "cbc";
    let of_cbc: Vec<&SurveyLine> = lines.iter().filter(cbc).copied().collect();
    if of_cbc.is_empty() {
        return Err(only(format!(
            "the lab could call no CBC of {library}, whose IV it could examine"
        )));
    }
    let of_caller = |line: &&SurveyLine| answer(line, Question::FreshIv) == Mark::DoesNotApply;
    if of_cbc.iter().all(of_caller) {
        let source = "it takes the IV as an argument, and uses it; a message has a fresh IV if the program draws one";
        return Ok(("the caller's IV".to_owned(), source.to_owned()));
    }
    verdict(&of_cbc, Question::FreshIv)
}
