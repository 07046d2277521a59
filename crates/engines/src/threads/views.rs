//! How certificates show the states of a program: every variable is kept, except the locals that are dead or
//! out of scope where a thread stands.

use super::Threads;
use crate::bits;
use crate::certificate::{CertificateIndex, alive};
use crate::explore::NONE;
use base::Id;
use ir::certificate::Bits;

/// The view that certificates have of a program's threads.
pub struct Views<'t, 'p> {
    threads: &'t Threads<'p>,
    /// The certificate index.
    pub index: CertificateIndex,
    /// For each local state its number in the certificate.
    numbers: Vec<u32>,
}

impl<'t, 'p> Views<'t, 'p> {
    /// No threads yet.
    pub fn new(threads: &'t Threads<'p>) -> Self {
        let index = CertificateIndex::new(threads.semantics.program);
        Views { threads, index, numbers: vec![NONE; threads.semantics.locals.len()] }
    }

    /// The values of the shared variables.
    pub fn shared(&self, shared: u32) -> Bits {
        let row = self.threads.semantics.shared.get(shared);
        (0..self.index.view.shared.len()).map(|index| bits::get(row, index)).collect()
    }

    /// The number of a thread-local state in the certificate. Two states may differ in what a view never
    /// shows.
    pub fn number(&mut self, local: u32) -> usize {
        if self.numbers[local as usize] == NONE {
            let semantics = &self.threads.semantics;
            let (loc, row) = (semantics.loc(local), semantics.values(local));
            let kept = |_: &[_]| alive(semantics.program, loc);
            let control = self.index.control(vec![loc], semantics.inside(local), kept);
            let kept = self.index.view.controls[control].kept.iter();
            let values = kept.map(|it| bits::get(row, it.local.index())).collect();
            self.numbers[local as usize] = self.index.thread(control, values) as u32;
        }
        self.numbers[local as usize] as usize
    }
}
