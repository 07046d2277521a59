//! The pairs of accesses that may race, as people read them: where they are and on what, and how many a proof
//! keeps apart. Two accesses are one pair, however many control locations stand for each.

use ::c::{Loc, Locksets, Program};
use base::budget::StopHandle;
use base::{Budget, Id, SourceMap, Span, Stop};
use ir::c::Model;
use ir::certificate::{Body, Certificate};
use relation::{NoRelation, Relation};
use std::collections::BTreeSet;

/// What working out which locks are held may cost where it is only told.
const TICKS: u64 = 1_000_000;

/// Two places of the source that may access the same object at the same time, as far as pointers and types
/// tell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AccessPair {
    /// Where the accesses are.
    pub spans: [Option<Span>; 2],
    /// What they access.
    pub object: String,
}

/// How many pairs of accesses a proof keeps apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Separated {
    /// All that may race.
    pub pairs: usize,
    /// Those in which both threads hold the same lock, whatever came before.
    pub by_locks: usize,
}

/// The pairs of accesses of a program that is asked for races, each two lines and object once; none if it has
/// no translation into guarded commands.
pub fn access_pairs(
    model: &Model,
    sources: &SourceMap,
    budget: &Budget,
) -> Result<Option<Vec<AccessPair>>, Stop> {
    let relation = match model.relation(budget) {
        Ok(relation) => relation,
        Err(NoRelation::Stopped(stop)) => return Err(stop),
        Err(NoRelation::Unsupported(_)) => return Ok(None),
    };
    let Some(accesses) = &relation.accesses else { return Ok(None) };
    let (mut found, mut known) = (vec![], BTreeSet::new());
    for pair in relation.candidates() {
        budget.spend(1)?;
        let [one, other] = pair.map(|it| &accesses.sites[it]);
        let mut spans = [one, other].map(|it| model.program.at(it.at).span);
        spans.sort_by_key(|span| span.map(|it| (it.file, it.start)));
        let lines = spans.map(|span| span.map(|it| (it.file, line(sources, it))));
        for &target in one.targets.intersection(&other.targets) {
            let object = name(&model.program, target);
            if known.insert((lines, object.clone())) {
                found.push(AccessPair { spans, object });
            }
        }
    }
    Ok(Some(found))
}

fn line(sources: &SourceMap, span: Span) -> u32 {
    sources.file(span.file).position(span.start).line
}

fn name(program: &Program, target: u32) -> String {
    match program.objects().iter().nth(target as usize) {
        Some(object) => object.name.clone(),
        None => "allocated memory".to_string(),
    }
}

/// How many pairs of accesses a proof about a program keeps apart, if it is one by predicates.
pub(crate) fn separated(certificate: &Certificate, proved: &Model) -> Option<Separated> {
    let Body::Predicates(by) = &certificate.body else { return None };
    let pairs = places(&by.relation)?;
    let budget = Budget::new(TICKS, StopHandle::default());
    let locks = Locksets::new(&proved.program, &budget).ok();
    let shares = |pair: &&[Loc; 2]| locks.as_ref().is_some_and(|it| it.at(pair[0]) & it.at(pair[1]) != 0);
    Some(Separated { pairs: pairs.len(), by_locks: pairs.iter().filter(shares).count() })
}

/// The places of the accesses that may race.
fn places(relation: &Relation) -> Option<BTreeSet<[Loc; 2]>> {
    let sites = &relation.accesses.as_ref()?.sites;
    let ordered = |pair: [usize; 2]| {
        let [one, other] = pair.map(|it| sites[it].at);
        if one.index() <= other.index() { [one, other] } else { [other, one] }
    };
    Some(relation.candidates().into_iter().map(ordered).collect())
}
