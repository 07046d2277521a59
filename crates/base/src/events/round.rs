//! The rounds of predicate abstraction, and what came of each.

/// A round, or a part of one, that has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Round {
    /// The program is taken with merged steps.
    Merged,
    /// The program is taken as it is, after it was tried with merged steps.
    Unmerged,
    /// The closure over states of one or two threads was worked out.
    Closure {
        /// The number of the round.
        number: usize,
        /// The predicates.
        predicates: usize,
        /// Those that no round before has used.
        new: usize,
        /// The relations between two threads.
        relations: usize,
        /// The guarded commands.
        commands: usize,
        /// How threads are looked at.
        look: Look,
        /// What came of it.
        result: ClosureResult,
    },
    /// Predicates that a proof does not need were left out.
    Minimised {
        /// The predicates before.
        before: usize,
        /// The predicates after.
        after: usize,
        /// How many smaller sets were tried.
        attempts: usize,
    },
    /// A Boolean program was made.
    Abstracted {
        /// The number of the round.
        number: usize,
        /// The predicates.
        predicates: usize,
        /// Those that are new.
        new: usize,
        /// The first of the new ones in words.
        names: Vec<String>,
        /// The statements that were abstracted anew.
        statements: usize,
        /// The questions to the solver that this took.
        questions: u64,
    },
    /// The Boolean program was checked.
    Checked(CheckedProgram),
    /// Whether a path of the Boolean program is one of the program was decided.
    Feasibility {
        /// The conjuncts of the unsatisfiable core; none if the path is feasible.
        core: Option<usize>,
    },
    /// A second solver was asked the same.
    SecondOpinion(Opinion),
    /// A spurious counterexample was ruled out.
    RuledOut(RuledOutBy),
    /// Relations between threads that were assumed were checked.
    Lemmas {
        /// The pairs of locations at which one is broken.
        broken: usize,
        /// The pairs of locations at which all are kept.
        kept: usize,
    },
    /// The certificate went to its checker.
    Certificate {
        /// Whether it was confirmed.
        confirmed: bool,
    },
}

/// How threads are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// One by one.
    One,
    /// One by one, disturbed only by those that can be there together by their locks.
    Companions,
    /// Two at a time.
    Two,
    /// Two at a time, with relations between them.
    Related,
}

impl Look {
    /// How many threads a state shows.
    pub fn width(self) -> u8 {
        if matches!(self, Look::One | Look::Companions) { 1 } else { 2 }
    }
}

/// What came of a closure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClosureResult {
    /// No command fails.
    Proved {
        /// The states of one thread.
        singles: usize,
        /// The states of two threads.
        pairs: usize,
    },
    /// A command fails in the abstraction.
    Alarm {
        /// The states of one thread.
        singles: usize,
        /// The states of two threads.
        pairs: usize,
    },
    /// There are too many states.
    TooLarge,
}

/// What the engines say about a Boolean program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CheckedProgram {
    /// It is safe.
    Safe,
    /// They do not know, and why.
    Unknown(String),
    /// It fails on a path.
    Fails {
        /// The steps of the path.
        steps: usize,
    },
}

/// What a second solver says about a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Opinion {
    /// The same.
    Agrees,
    /// Nothing, and what it did instead.
    Unanswered(String),
    /// The opposite, and what.
    Differs(String),
}

/// What rules a spurious counterexample out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RuledOutBy {
    /// The same predicates, followed more exactly by some statements.
    Statements,
    /// New predicates.
    Predicates {
        /// Where they come from.
        from: &'static str,
        /// Which of them were taken.
        taken: Taken,
    },
    /// Relations between two threads, in words.
    Relations(Vec<String>),
}

/// Which predicates of a search for new ones were taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// Those of one place.
    Alone,
    /// The same, and all that were found in earlier rounds are dropped.
    Instead,
    /// The same, together with those of the places tried before.
    Together,
}
