//! Changes the proofs that `auto` finds for a corpus, and counts which changes the checker refuses. A mutant
//! that it accepts may be a proof itself; that one tuple of a closure without a basis can be dropped is an
//! error.

use crate::corpus::{Entry, entries};
use crate::options::Selection;
use anyhow::{Context, Result, bail, ensure};
use base::{Budget, NoEvents, Random};
use ir::certificate::Body;
use ir::{Bound, Certificate, Scope, Task};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use testing::mutate::{Mutation, mutants};
use verify::{Limits, Origin, Outcome, Plan, Proof, ReadOptions};

/// How many mutants of a kind were refused, and how many were accepted.
type Counts = BTreeMap<Mutation, [usize; 2]>;

/// The command `mutations`.
pub fn run(args: &[String]) -> Result<()> {
    let (mut seed, mut most) = (0, 5);
    let selection = Selection::read(args, |name, value| {
        match name {
            "--seed" => seed = value.parse()?,
            "--most" => most = value.parse()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let folder = selection.manifest.parent().unwrap_or(Path::new(".")).to_path_buf();
    let (mut proofs, mut wrong, mut counts) = (0, 0, Counts::new());
    for entry in entries(&selection)? {
        let Some((task, certificate)) = proof(&folder, &entry, selection.timeout)? else { continue };
        let Some(basis) = elements(&certificate) else { continue };
        proofs += 1;
        let mut line = [0, 0];
        for (mutation, mutant) in mutants(&certificate, most, &mut Random::new(seed)) {
            let accepted = check_formulas::certificate(&task, &mutant, &Budget::unlimited()).is_ok();
            counts.entry(mutation).or_default()[usize::from(accepted)] += 1;
            line[usize::from(accepted)] += 1;
            // A formula may speak of threads that are never there.
            let is_list = !matches!(mutant.body, Body::ClassClosure(_));
            if accepted && is_list && basis == 0 && mutation == Mutation::TupleDropped {
                println!("WRONG: a tuple can be dropped from the proof of {}", entry.path);
                wrong += 1;
            }
        }
        println!(
            "{:>6} refused {:>4} accepted, {basis} elements of the basis, {}",
            line[0], line[1], entry.path
        );
    }
    println!("\n{proofs} proofs by tuples");
    for (mutation, [refused, accepted]) in counts {
        println!("{mutation:?}: {refused} refused, {accepted} accepted");
    }
    ensure!(wrong == 0, "{wrong} mutants are no proofs and were accepted");
    Ok(())
}

/// The task of an entry and its confirmed proof, if there is one.
fn proof(folder: &Path, entry: &Entry, timeout: u64) -> Result<Option<(Task, Certificate)>> {
    let (reading, threads) = reading(&entry.args)?;
    let Ok(input) = verify::read(&Origin::File(folder.join(&entry.path)), &reading) else { return Ok(None) };
    let task = input.source.task(Scope { threads });
    let limits = Limits { time: Some(Duration::from_secs(timeout)), ..Limits::default() };
    let plan = Plan::named(&[]).map_err(anyhow::Error::msg)?;
    match verify::answer(&task, &plan, &limits, &mut NoEvents).outcome {
        Outcome::Safe { proof: Proof::Confirmed { certificate, .. }, .. } => Ok(Some((task, certificate))),
        _ => Ok(None),
    }
}

/// How an entry is to be read, and with how many threads.
fn reading(args: &[String]) -> Result<(ReadOptions, Bound)> {
    let (mut reading, mut threads) = (ReadOptions::default(), Bound::Any);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let value =
            args.next().with_context(|| format!("{arg} needs a value"))?.trim_matches('"').to_string();
        match arg.as_str() {
            "--error-label" => reading.error_labels.push(value),
            "--start" => reading.start = Some(value),
            "--threads" => threads = Bound::AtMost(value.parse()?),
            _ => bail!("the manifest has the argument {arg}, which is not known here"),
        }
    }
    Ok((reading, threads))
}

/// The number of elements of the basis of a proof by tuples.
fn elements(certificate: &Certificate) -> Option<usize> {
    match &certificate.body {
        Body::Closure(it) => Some(it.basis.len()),
        Body::TokenClosure(it) => Some(it.basis.len()),
        Body::ClassClosure(it) => Some(it.basis.len()),
        _ => None,
    }
}
