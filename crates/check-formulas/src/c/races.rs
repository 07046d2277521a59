//! Data races, where they are asked about: for each two accesses that may race
//! ([`relation::Relation::candidates`]), no state in the tables of their control locations lets their bytes
//! overlap. A question about two threads, no step: each stands at the control location of its access, and in
//! a section has gone up to it.

use super::Statistics;
use super::bit_vectors;
use super::frames::{Frames, Moment, Reading, Who, Word};
use super::obligations::Claim;
use super::tables::Stand;
use crate::proof::Lit;
use ::c::Binary;
use base::Budget;
use check::{Refused, reject};
use relation::{AccessSite, Accesses, Command, Outcome};

/// Asks about all candidates.
pub fn check(claim: &Claim<'_>, statistics: &mut Statistics, budget: &Budget) -> Result<(), Refused> {
    let relation = claim.names.relation;
    if claim.proof.races != relation.accesses.is_some() {
        return Ok(reject("the proof is about other properties: a record `property race` tells")?);
    }
    let Some(Accesses { sites, .. }) = &relation.accesses else { return Ok(()) };
    for pair in relation.candidates() {
        budget.spend(1)?;
        let [one, other] = pair.map(|it| &sites[it]);
        statistics.pairs += 1;
        if claim.tables.may_meet(one.control, other.control)
            && overlap(claim, [one, other], statistics, budget)?
        {
            let [first, second] = [one, other].map(|it| claim.names.control(it.control));
            return Ok(reject(format!("two accesses may race, at {first} and {second}"))?);
        }
    }
    Ok(())
}

/// Whether the bytes may overlap in a state of the tables.
fn overlap(
    claim: &Claim<'_>,
    sites: [&AccessSite; 2],
    statistics: &mut Statistics,
    budget: &Budget,
) -> Result<bool, Refused> {
    let (relation, tables) = (claim.names.relation, claim.tables);
    let still = standing(sites[0]);
    let mut frames = Frames::new(relation, &claim.proof.exprs, Some(&still), budget);
    let who = [Who::Active, Who::First];
    let stands = [0, 1].map(|at: usize| Stand { who: who[at], control: sites[at].control });
    let mut question = vec![];
    let mut addresses = vec![];
    for (stand, site) in stands.into_iter().zip(sites) {
        let reading = Reading { moment: Moment::Before, who: stand.who };
        question.push(tables.alone(&mut frames, Moment::Before, stand)?);
        question.push(frames.truth(site.guard, reading)?);
        addresses.push(frames.value(site.address, reading)?);
    }
    question.push(tables.together(&mut frames, Moment::Before, stands)?);
    question.push(claim.counted(&mut frames, &sites.map(|it| it.control))?);
    let [a, b] = [&addresses[0], &addresses[1]];
    let there = begins_inside(&mut frames, a, b, sites[0])?;
    let back = begins_inside(&mut frames, b, a, sites[1])?;
    question.push(frames.any(&[there, back]));
    if relation.is_mixed(sites[0], sites[1]) && sites[0].bytes == sites[1].bytes {
        question.push(!compare(&mut frames, Binary::Eq, a, b)?);
    }
    statistics.questions += 1;
    frames.cnf.solve(&question)
}

/// Whether the second access begins at a byte of the first.
fn begins_inside(
    frames: &mut Frames<'_, '_>,
    first: &Word,
    second: &Word,
    site: &AccessSite,
) -> Result<Lit, Refused> {
    let Some(bytes) = site.bytes else { return compare(frames, Binary::LeU, first, second) };
    let Some(distance) = bit_vectors::binary(&mut frames.cnf, Binary::Sub, second, first) else {
        return Ok(reject("an address is no number")?);
    };
    let length: Word = bit_vectors::number(u128::from(bytes), distance.len() as u8).into();
    compare(frames, Binary::LtU, &distance.into(), &length)
}

fn compare(frames: &mut Frames<'_, '_>, op: Binary, a: &Word, b: &Word) -> Result<Lit, Refused> {
    match bit_vectors::binary(&mut frames.cnf, op, a, b) {
        Some(word) => Ok(word[0]),
        None => Ok(reject("an address is no number")?),
    }
}

/// A step that does nothing: only the state before it is asked about.
fn standing(site: &AccessSite) -> Command {
    Command {
        from: site.control,
        guard: site.guard,
        others: None,
        choices: vec![],
        updates: vec![],
        creates: None,
        outcome: Outcome::Halt,
        steps: vec![],
    }
}
