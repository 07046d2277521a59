//! Game certificates with something changed, and whether one that the checker accepts is still a proof:
//! nothing may be missing from its interfaces, wants and right blocks, which are the least that the equations
//! allow, and Adam must still have an answer to everything. The checker runs a thread to see whether it has
//! an interface; here it must be one of those that are listed.

use base::{Id, Random};
use ir::Program;
use ir::bp::{Machine, State};
use ir::certificate::{Game, Rounds, Stand, View};
use std::collections::{BTreeSet, HashSet};

/// Takes one thing away, changes one number, or claims that fewer rounds do.
pub fn mutate(game: &mut Game, random: &mut Random) {
    loop {
        let done = match random.below(12) {
            0 => drop_one(&mut game.interfaces, random),
            1 => drop_one(&mut game.wants, random),
            2 => drop_one(&mut game.rights, random),
            3 => drop_one(&mut game.matched, random),
            4 => drop_one(&mut game.alone, random),
            5 => change_one(&mut game.interfaces, random, |it| &mut it.rounds),
            6 => change_one(&mut game.wants, random, |it| it),
            7 => change_one(&mut game.rights, random, |it| it),
            8 => change_one(&mut game.matched, random, |it| &mut it.0),
            9 => change_one(&mut game.matched, random, |it| &mut it.1),
            10 => fewer_wait(game, random),
            _ => {
                game.rounds -= 1;
                true
            }
        };
        if done {
            return;
        }
    }
}

fn drop_one<T>(list: &mut Vec<T>, random: &mut Random) -> bool {
    let there = !list.is_empty();
    if there {
        list.remove(random.below(list.len()));
    }
    there
}

/// Replaces one shared state by one that it is not, but that may not be listed.
fn change_one<T>(list: &mut [T], random: &mut Random, rounds: impl Fn(&mut T) -> &mut Rounds) -> bool {
    if list.is_empty() {
        return false;
    }
    let rounds = rounds(&mut list[random.below(list.len())]);
    let place = random.below(rounds.ins.len() + rounds.outs.len());
    let number = rounds.ins.iter_mut().chain(&mut rounds.outs).nth(place).expect("it is below their number");
    *number = (*number + 1 + random.below(2)) % 4;
    true
}

/// One alternative of a message, or one thread that sleeps, is missing in one shared state.
fn fewer_wait(game: &mut Game, random: &mut Random) -> bool {
    let share = random.below(game.shares.len());
    let share = &mut game.shares[share];
    match share.sleeping.iter_mut().find(|count| **count > 0) {
        Some(count) => {
            *count -= 1;
            true
        }
        None => drop_one(&mut share.message, random),
    }
}

/// Whether a mutant of a proof still is one.
pub fn proves(program: &Program, view: &View, original: &Game, mutant: &Game) -> bool {
    let holds = |all: &[Rounds], part: &[Rounds]| part.iter().all(|it| all.contains(it));
    let same = original.shares == mutant.shares && original.rounds == mutant.rounds;
    same && original.interfaces.iter().all(|it| mutant.interfaces.contains(it))
        && holds(&mutant.wants, &original.wants)
        && holds(&mutant.rights, &original.rights)
        && Judge::new(program, view, original, mutant).adam_answers()
}

/// A thread of the original's interfaces, of Eve's or Adam's length.
type Turn<'g> = (bool, Stand, &'g Rounds);

struct Judge<'g> {
    k: usize,
    mutant: &'g Game,
    initial: HashSet<usize>,
    /// Those that end outside sections.
    turns: Vec<Turn<'g>>,
    has_first: bool,
}

impl<'g> Judge<'g> {
    fn new(program: &Program, view: &View, original: &'g Game, mutant: &'g Game) -> Self {
        let inside = |stand: Stand| match stand {
            Stand::At(thread) => view.controls[original.threads[thread].control].inside,
            Stand::Dormant | Stand::Ended => false,
        };
        let turns = original.interfaces.iter().filter(|it| !inside(it.stand));
        let turns: Vec<Turn<'g>> = turns.map(|it| (it.first, it.stand, &it.rounds)).collect();
        let has_first = original.interfaces.iter().any(|it| it.first);
        let k = original.rounds as usize;
        Judge { k, mutant, initial: initial(program, view, original), turns, has_first }
    }

    fn opens(&self, (first, _, rounds): &Turn<'_>) -> bool {
        *first == self.has_first && self.initial.contains(&rounds.ins[0])
    }

    fn adam_answers(&self) -> bool {
        let eves = |it: &&Turn<'_>| it.2.ins.len() == self.k + 1;
        let opening = |it: &Turn<'_>| {
            let mut answers = self.turns.iter().filter(|adam| self.opens(adam));
            answers.any(|adam| self.matches(it, adam, it.2, adam.2)) || self.mutant.alone.contains(it.2)
        };
        let later = |eve: &Rounds| -> Vec<&Turn<'_>> {
            self.turns.iter().filter(eves).filter(|it| !it.0 && it.2.ins == eve.outs).collect()
        };
        let longer = |eve: &Rounds, it: &Turn<'_>| Rounds { ins: eve.ins.clone(), outs: it.2.outs.clone() };
        let goes_on = |(eve, adam): &(Rounds, Rounds)| {
            later(eve).into_iter().all(|it| {
                let next = longer(eve, it);
                let mut answers = self.turns.iter().filter(|way| !way.0 && way.2.ins == adam.outs);
                answers.any(|way| self.matches(it, way, &next, &longer(adam, way)))
                    || self.mutant.alone.contains(&next)
            })
        };
        let fair = |(eve, adam): &(Rounds, Rounds)| !wrapped(eve) || wrapped(adam);
        let lost = |eve: &Rounds| {
            !wrapped(eve) && later(eve).iter().all(|it| self.mutant.alone.contains(&longer(eve, it)))
        };
        self.turns.iter().filter(eves).filter(|it| self.opens(it)).all(opening)
            && self.mutant.matched.iter().all(|it| fair(it) && goes_on(it))
            && self.mutant.alone.iter().all(lost)
    }

    /// Whether Adam's thread ends as Eve's, and the position that follows is listed.
    fn matches(&self, eve: &Turn<'_>, adam: &Turn<'_>, next: &Rounds, answer: &Rounds) -> bool {
        let same = adam.1 == eve.1 && adam.2.ins.len() == self.k && adam.2.outs.last() == eve.2.outs.last();
        same && self.mutant.matched.iter().any(|it| it.0 == *next && it.1 == *answer)
    }
}

fn wrapped(rounds: &Rounds) -> bool {
    rounds.ins[1..].iter().zip(&rounds.outs).all(|(next, out)| next == out)
}

/// The shared states in which the threads start, after `init`.
fn initial(program: &Program, view: &View, game: &Game) -> HashSet<usize> {
    let threads = u32::try_from(program.start().templates.len()).expect("few") + 2;
    let machine = Machine::new(program, Some(threads));
    let mut work: Vec<State> = machine.starts();
    let mut seen: BTreeSet<State> = work.iter().cloned().collect();
    let mut starts = BTreeSet::new();
    while let Some(state) = work.pop() {
        if state.initialising {
            let steps = state.threads.keys().flat_map(|&thread| machine.steps(&state, thread));
            work.extend(steps.map(|it| it.1).filter(|it| seen.insert(it.clone())));
        } else {
            starts.insert(view.shared.iter().map(|id| state.shared[id.index()]).collect::<Vec<bool>>());
        }
    }
    let most: Vec<u32> = game.shares.iter().map(|it| it.sleeping.clone()).max().unwrap_or_default();
    let fresh = game.shares.iter().enumerate().filter(|(_, it)| it.message.is_empty() && it.sleeping == most);
    fresh.filter(|(_, it)| starts.contains(&it.values)).map(|it| it.0).collect()
}
