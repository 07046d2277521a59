//! Closures: what few threads look like together in runs with any number of threads, and, where that is not
//! enough, the minimal elements of a set from which alone the errors can be reached. Programs and nets are
//! both turned into rules over numbers ([`crate::rules`]); one pass over the rules then decides ([`tuples`]).

mod basis;
mod invariants;
mod tuples;

use crate::index::CertificateIndex;
use crate::rules::programs::{Key, Present, Translator};
use crate::rules::{Multiset, State, nets};
use crate::view_index::ViewIndex;
use crate::{Refused, Rejected, within};
use base::Budget;
use basis::Basis;
use ir::Scope;
use ir::certificate::{Closure, TokenClosure, TupleView};
use ir::net::Net;
use tuples::Tuples;

/// Checks a closure of a program; it proves everything or nothing.
pub fn program(view: ViewIndex<'_>, closure: &Closure, budget: &Budget) -> Result<Scope, Refused> {
    let mut certificate = CertificateIndex::new(view, &closure.threads, budget)?;
    let all = closure.tuples.iter().chain(&closure.basis);
    for (index, tuple) in all.enumerate() {
        budget.spend(1)?;
        let added =
            certificate.add_valuation(&tuple.shared).and_then(|_| certificate.multiset(&tuple.threads));
        added.map_err(|why| within(&format!("tuple {index}"), why))?;
    }
    let mut translator = Translator::new(&certificate, budget);
    let mut read = |tuple: &TupleView| {
        let shared = certificate.shared_number(&tuple.shared).expect("all valuations have numbers");
        let key = Key { initialising: tuple.initialising, inside: u8::from(tuple.busy), shared };
        Ok((translator.number(key), certificate.multiset(&tuple.threads)?))
    };
    let lists = Lists { tuples: &closure.tuples, elements: &closure.basis };
    let (tuples, basis) = lists.read(closure.width, &mut read, budget)?;
    let present: Present =
        tuples.states().map(|(state, locals)| (state, locals.iter().copied().collect())).collect();
    let rules = translator.rules(&present, |state, local| basis.covers(state, &vec![(local, 1)]))?;
    tuples::check(&tuples, &rules, &basis)?;
    Ok(Scope::ANY)
}

/// Checks a closure of a net; it proves everything or nothing.
pub fn net(net: &Net, closure: &TokenClosure, budget: &Budget) -> Result<Scope, Refused> {
    let lists = Lists { tuples: &closure.tuples, elements: &closure.basis };
    let (tuples, mut basis) = lists.read(closure.width, |it| nets::read(net, it), budget)?;
    let rules = nets::rules(net);
    basis.invariants = invariants::read(closure, &tuples, &rules, budget)?;
    tuples::check(&tuples, &rules, &basis)?;
    Ok(Scope::ANY)
}

/// Threads in a shared state.
type Together = (State, Multiset);

/// The tuples and elements of a certificate, as it lists them.
struct Lists<'c, T> {
    tuples: &'c [T],
    elements: &'c [T],
}

impl<T> Lists<'_, T> {
    fn read<'b>(
        &self,
        width: u32,
        mut read: impl FnMut(&T) -> Result<Together, Rejected>,
        budget: &'b Budget,
    ) -> Result<(Tuples<'b>, Basis<'b>), Refused> {
        let mut known = Tuples::new(width, budget)?;
        for tuple in self.tuples {
            let (state, multiset) = read(tuple)?;
            known.add(state, &multiset)?;
        }
        let elements = self.elements.iter().map(&mut read).collect::<Result<Vec<_>, _>>()?;
        Ok((known, Basis::new(elements, budget)))
    }
}
