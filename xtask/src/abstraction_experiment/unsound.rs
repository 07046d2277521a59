//! Table 2: programs that fail, and from how many workers on their Boolean programs do: by our abstraction,
//! and by three that are unsound.

use super::programs::{EngineResult, Subject, bounded, compared};
use super::{Options, files, stem};
use anyhow::{Result, ensure};
use predicates::boolean::Treatment;
use std::path::Path;

const TREATMENTS: [Treatment; 4] =
    [Treatment::Sound, Treatment::MixedAsLocal, Treatment::MixedAsShared, Treatment::NotifyAsPrinted];

/// The predicates: all comparisons of guards.
const LAYER: usize = 1;

/// Prints the table; an error if our own abstraction misses one.
pub fn run(options: &Options) -> Result<()> {
    println!("\n| program | sound | mixed as local | mixed as shared | notify as printed |");
    println!("|---|---|---|---|---|");
    let mut missed = [0; 4];
    for path in files(options, "_unsafe")? {
        let found = row(&path, options)?;
        for (count, found) in missed.iter_mut().zip(&found) {
            *count += usize::from(*found == Found::Safe);
        }
        let cells = found.map(|it| match it {
            Found::Fails(workers) => format!("error {workers}"),
            Found::Safe => format!("safe {}", options.most),
            Found::Late(workers) => format!("T.O. {workers}"),
        });
        println!("| {} | {} |", stem(&path), cells.join(" | "));
    }
    println!("\nmissed up to {} workers: {missed:?}", options.most);
    ensure!(missed[0] == 0, "the sound abstraction misses an error");
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    /// With this many workers.
    Fails(usize),
    /// With no number of workers up to the most.
    Safe,
    /// No answer for this many.
    Late(usize),
}

fn row(path: &Path, options: &Options) -> Result<[Found; 4]> {
    let all = compared(path, LAYER, options)?;
    let mut row = [Found::Safe; 4];
    for (cell, treatment) in row.iter_mut().zip(TREATMENTS) {
        *cell = treated(&Subject { treatment, ..all.clone() }, options)?;
    }
    Ok(row)
}

fn treated(subject: &Subject, options: &Options) -> Result<Found> {
    let Some((made, _)) = subject.boolean(options.limit) else { return Ok(Found::Late(0)) };
    for workers in 1..=options.most {
        match bounded(&made.program, workers + 1, options)?.0 {
            EngineResult::Fails => return Ok(Found::Fails(workers)),
            EngineResult::Safe => {}
            EngineResult::Alarm | EngineResult::Late => return Ok(Found::Late(workers)),
        }
    }
    Ok(Found::Safe)
}
