//! The clauses of the solver, all in one vector, and who watches what (Moskewicz et al., DAC 2001): a clause
//! is looked at only when one of its first two literals becomes false.

use crate::proof::ClauseId;
use crate::proof::Lit;

/// A clause: its number among all clauses that the solver keeps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ClauseRef(u32);

/// A clause without its literals.
#[derive(Clone, Copy, Debug)]
struct Header {
    start: usize,
    len: usize,
    id: ClauseId,
    /// For a learnt clause of how many levels its literals were (Audemard and Simon, IJCAI 2009); 0 for
    /// clauses that stay.
    levels: u32,
}

/// A clause that watches a literal.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    /// The clause.
    pub clause: ClauseRef,
    /// Another of its literals: where that is true the clause need not be read.
    pub blocker: Lit,
    /// Whether these two literals are all.
    pub binary: bool,
}

/// All clauses of at least two literals.
#[derive(Default)]
pub struct Clauses {
    headers: Vec<Header>,
    free: Vec<ClauseRef>,
    lits: Vec<Lit>,
    /// By literal, the clauses to look at when it becomes false.
    pub watches: Vec<Vec<Watch>>,
    /// Learnt clauses that may be forgotten, oldest first.
    pub learnt: Vec<ClauseRef>,
}

impl Clauses {
    /// Keeps a clause and lets it watch its first two literals. `levels` is 0 for clauses that stay.
    pub fn add(&mut self, id: ClauseId, lits: &[Lit], levels: u32) -> ClauseRef {
        let header = Header { start: self.lits.len(), len: lits.len(), id, levels };
        self.lits.extend(lits);
        let clause = match self.free.pop() {
            Some(clause) => {
                self.headers[clause.0 as usize] = header;
                clause
            }
            None => {
                self.headers.push(header);
                ClauseRef(u32::try_from(self.headers.len() - 1).expect("memory ends before the numbers do"))
            }
        };
        let binary = lits.len() == 2;
        self.watches[lits[0].code()].push(Watch { clause, blocker: lits[1], binary });
        self.watches[lits[1].code()].push(Watch { clause, blocker: lits[0], binary });
        if levels > 0 {
            self.learnt.push(clause);
        }
        clause
    }

    /// The literals of a clause.
    pub fn lits(&self, clause: ClauseRef) -> &[Lit] {
        let header = &self.headers[clause.0 as usize];
        &self.lits[header.start..header.start + header.len]
    }

    /// The same, to change their order.
    pub fn lits_mut(&mut self, clause: ClauseRef) -> &mut [Lit] {
        let header = &self.headers[clause.0 as usize];
        &mut self.lits[header.start..header.start + header.len]
    }

    /// The number of the clause in the proof.
    pub fn id(&self, clause: ClauseRef) -> ClauseId {
        self.headers[clause.0 as usize].id
    }

    /// Forgets the worse half of the learnt clauses: those of many levels, and of these the older ones.
    /// Clauses of at most two levels stay; none may be the reason of a value. The numbers in the proof of
    /// those that are gone.
    pub fn reduce(&mut self) -> Vec<ClauseId> {
        let mut learnt = std::mem::take(&mut self.learnt);
        // Older ones come first, and the sort keeps that.
        learnt.sort_by_key(|it| std::cmp::Reverse(self.headers[it.0 as usize].levels));
        let half = learnt.len() / 2;
        let (mut gone, mut kept) = (vec![], vec![]);
        for (index, clause) in learnt.into_iter().enumerate() {
            let worse = index < half && self.headers[clause.0 as usize].levels > 2;
            if worse { gone.push(clause) } else { kept.push(clause) }
        }
        kept.sort_by_key(|it| self.headers[it.0 as usize].id);
        self.learnt = kept;
        let ids = gone.iter().map(|&it| self.id(it)).collect();
        self.remove(&gone);
        ids
    }

    fn remove(&mut self, gone: &[ClauseRef]) {
        gone.iter().for_each(|it| self.headers[it.0 as usize].len = 0);
        for list in &mut self.watches {
            list.retain(|it| self.headers[it.clause.0 as usize].len > 0);
        }
        let mut lits = Vec::with_capacity(self.lits.len());
        for header in &mut self.headers {
            let start = lits.len();
            lits.extend(&self.lits[header.start..header.start + header.len]);
            header.start = start;
        }
        self.lits = lits;
        self.free.extend(gone);
    }
}
