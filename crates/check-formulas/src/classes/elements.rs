//! Elements of the basis as formulas: when threads are above one. Several embeddings of an element into the
//! threads may have to be tried; positions of a class that can be exchanged in the element's formula are
//! filled in one order only.

use super::index::ClassIndex;
use super::population::Population;
use crate::proof::Lit;
use crate::symbolic::cnf::Cnf;
use base::Stop;
use ir::certificate::ClassTuple;
use std::collections::HashMap;

/// Whether `init` runs, whether somebody is inside, and the least class of an element; none if it has no
/// threads.
type ElementKey = (bool, bool, Option<usize>);

/// The elements of a certificate.
pub struct Elements {
    by_least: HashMap<ElementKey, Vec<usize>>,
    /// For each element and each of its positions whether it can be exchanged with the position before.
    alike: Vec<Vec<bool>>,
}

impl Elements {
    /// Looks the elements over.
    pub fn new(certificate: &ClassIndex<'_>) -> Result<Self, Stop> {
        let mut elements = Elements { by_least: HashMap::new(), alike: vec![] };
        for (index, element) in certificate.closure.basis.iter().enumerate() {
            let key = (element.initialising, element.busy, element.classes.first().map(|it| it.0));
            elements.by_least.entry(key).or_default().push(index);
            elements.alike.push(alike(certificate, element)?);
        }
        Ok(elements)
    }

    /// Whether a position of an element can be exchanged with the one before.
    pub fn repeats(&self, element: usize, position: usize) -> bool {
        self.alike[element][position]
    }

    /// Whether threads are above an element.
    pub fn cover(
        &self,
        cnf: &mut Cnf<'_>,
        certificate: &ClassIndex<'_>,
        population: &Population,
    ) -> Result<Lit, Stop> {
        let mut classes: Vec<usize> = population.state.threads.iter().map(|it| it.0).collect();
        classes.sort_unstable();
        let has = |class: usize| classes.iter().filter(|&&it| it == class).count();
        let mut leasts: Vec<Option<usize>> = classes.iter().copied().map(Some).chain([None]).collect();
        leasts.dedup();
        let mut covered = Lit::FALSE;
        for least in leasts {
            let key = (population.state.initialising, population.busy, least);
            for &index in self.by_least.get(&key).into_iter().flatten() {
                cnf.budget.spend(1)?;
                let element = &certificate.closure.basis[index];
                if element.classes.iter().all(|&(class, n)| has(class) >= n as usize) {
                    let below = self.below(cnf, certificate, index, population)?;
                    covered = cnf.or(covered, below);
                }
            }
        }
        Ok(covered)
    }

    /// Whether threads are above this element, whose classes they have.
    fn below(
        &self,
        cnf: &mut Cnf<'_>,
        certificate: &ClassIndex<'_>,
        index: usize,
        population: &Population,
    ) -> Result<Lit, Stop> {
        let (element, threads) = (&certificate.closure.basis[index], &population.state.threads);
        let classes: Vec<usize> = classes_of(element).collect();
        let mut covered = Lit::FALSE;
        // Which thread is in which position; a position that is open is filled with the next thread that
        // fits.
        let mut order: Vec<usize> = vec![];
        let mut open = 0;
        loop {
            cnf.budget.spend(1)?;
            let position = order.len();
            if position == classes.len() {
                let formula = certificate.formula(element.formula);
                let holds = population.state.formula(cnf, formula, certificate.kept, &order)?;
                covered = cnf.or(covered, holds);
            } else {
                let from = if self.alike[index][position] { open.max(order[position - 1] + 1) } else { open };
                let fits = |&it: &usize| threads[it].0 == classes[position] && !order.contains(&it);
                if let Some(next) = (from..threads.len()).find(fits) {
                    order.push(next);
                    open = 0;
                    continue;
                }
            }
            match order.pop() {
                Some(last) => open = last + 1,
                None => return Ok(covered),
            }
        }
    }
}

/// The class of each position of an element.
pub fn classes_of(element: &ClassTuple) -> impl Iterator<Item = usize> {
    element.classes.iter().flat_map(|&(class, n)| (0..n).map(move |_| class))
}

/// Which positions of an element can be exchanged with those before. Not to know it only means that more
/// orders are tried.
fn alike(certificate: &ClassIndex<'_>, element: &ClassTuple) -> Result<Vec<bool>, Stop> {
    let classes: Vec<usize> = classes_of(element).collect();
    let mut alike = vec![false; classes.len()];
    for position in (1..classes.len()).filter(|&position| classes[position] == classes[position - 1]) {
        alike[position] = certificate.exchangeable(element.formula, position)?.unwrap_or(false);
    }
    Ok(alike)
}
