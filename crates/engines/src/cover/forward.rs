//! The way forward: from an element that covers a start along the rules to the error, with a name for every
//! thread. Threads that the elements do not speak of are there only where the start demands them; whatever
//! they do is right, because the system is monotone.

use super::backward::Reacted;
use super::search::{CoverSearch, filled};
use crate::closure::{Group, Rule, RuleSystem, Source, programs};
use crate::threads::replay::{Replay, Taken};
use base::{Budget, Id, Stop};
use ir::net::{Marking, Move, Net, RuleId, SharedStateId};
use ir::trace::{NetTrace, Trace};

/// A rule of a run.
pub struct Link {
    pub rule: Rule,
    /// What some of the passive threads become; the others become whatever they may.
    pub reacted: Vec<Reacted>,
    /// The threads that come, if the rule is the last of `init`.
    pub population: Vec<Group>,
}

/// The run that begins in this element, or what did not fit (a fault of the engine).
pub fn trace(
    search: &mut CoverSearch<'_, '_>,
    first: u32,
    budget: &Budget,
) -> Result<Result<Trace, String>, Stop> {
    let links = links(search, first, budget)?;
    let start = filled(&search.start.first, &search.basis.get(first).threads);
    let shared = search.basis.get(first).shared;
    run(search.system, shared, &start, &links, budget)
}

/// The run along these rules from a start.
pub fn run(
    system: &mut RuleSystem<'_>,
    shared: u32,
    start: &[Group],
    links: &[Link],
    budget: &Budget,
) -> Result<Result<Trace, String>, Stop> {
    let locals: Vec<u32> =
        links.iter().map(|link| system.take(&link.rule).first().map_or(0, |it| it.0)).collect();
    match &mut system.source {
        Source::Net(nets) => Ok(net_trace(nets.net, shared, start, links).map(Trace::Net)),
        Source::Program(program) => {
            let valuation = programs::valuation(shared);
            let mut replay = Replay::new(&mut program.threads, None, valuation, start, budget);
            for (link, local) in links.iter().zip(locals) {
                budget.spend(1)?;
                let outcome = replay.threads.outcome(link.rule.origin as usize);
                let reacted = link.reacted.iter().map(|&(old, new)| (old, new, 1)).collect();
                let taken =
                    Taken { local, outcome, refused: false, reacted, population: link.population.clone() };
                if !replay.perform(programs::valuation(link.rule.from), &taken)? {
                    return Ok(Err("a step of the chain is not one of the program".to_string()));
                }
            }
            let trace = replay.trace.finish().map(Trace::Program);
            Ok(trace.ok_or_else(|| "the chain leads to no error".to_string()))
        }
    }
}

fn links(search: &mut CoverSearch<'_, '_>, first: u32, budget: &Budget) -> Result<Vec<Link>, Stop> {
    let mut links = vec![];
    let mut at = first;
    while let Some((number, to)) = search.basis.get(at).via {
        let rule = search.system.rule(number as usize);
        let after = &search.basis.get(to).threads;
        let (mut found, mut population) = (None, vec![]);
        if rule.starts {
            population = filled(&search.start.later, after);
        } else {
            let before = &search.basis.get(at).threads;
            let mut visit = |threads: Vec<(u32, u32)>, reacted: &[Reacted]| {
                if found.is_none() && threads == *before {
                    found = Some(reacted.to_vec());
                }
                Ok(())
            };
            let tuples = &search.closure.tuples;
            search.backward.predecessors(search.system, tuples, number, after, budget, &mut visit)?;
        }
        links.push(Link { rule, reacted: found.unwrap_or_default(), population });
        at = to;
    }
    Ok(links)
}

fn net_trace(net: &Net, shared: u32, start: &[(u32, u32)], links: &[Link]) -> Result<NetTrace, String> {
    let mut tokens = vec![0; net.places().len()];
    start.iter().for_each(|&(place, count)| tokens[place as usize] = count);
    let start = Marking { shared: SharedStateId::from_index(shared as usize), tokens };
    let machine = ir::net::Machine::new(net, None);
    let (mut marking, mut steps) = (start.clone(), vec![]);
    for link in links {
        let rule = RuleId::from_index(link.rule.origin as usize);
        let step = Move { rule, moved: moved(net, rule, &marking, &link.reacted) };
        marking = machine.apply(&marking, &step).map_err(|refusal| refusal.0)?;
        steps.push(step);
    }
    match machine.at_target(&marking) {
        true => Ok(NetTrace { start, steps }),
        false => Err("the chain leads to no target".to_string()),
    }
}

/// How the tokens that are not taken are split: as the chain wants it, the others to the first place.
fn moved(net: &Net, rule: RuleId, marking: &Marking, reacted: &[Reacted]) -> Vec<Vec<u32>> {
    let rule = &net.rules()[rule];
    let split = |transfer: &ir::net::Transfer| {
        let from = transfer.from;
        let taken = rule.take.iter().find(|it| it.0 == from).map_or(0, |it| it.1);
        let mut left = marking.tokens[from.index()].saturating_sub(taken);
        let mut parts: Vec<u32> = vec![0; transfer.to.len()];
        for &(_, after) in reacted.iter().filter(|it| it.0 as usize == from.index()) {
            let to = transfer.to.iter().position(|to| to.is_some_and(|it| it.index() as u32 == after));
            if let Some(part) = to.filter(|_| left > 0) {
                parts[part] += 1;
                left -= 1;
            }
        }
        parts[0] += left;
        parts
    };
    rule.moves.iter().map(split).collect()
}
