//! How far the work at hand is.

/// What is being done, and how much of it is done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Progress {
    /// A file is read.
    Reading {
        /// Its name.
        file: String,
    },
    /// The passes prepare the program.
    Preparing,
    /// An engine starts.
    Starting {
        /// Its name.
        engine: &'static str,
    },
    /// A C program is lowered to a Boolean program.
    Lowering,
    /// Evidence is checked.
    Checking,
    /// States with a bound on the threads.
    States {
        /// The bound.
        threads: u32,
        /// The states so far; 0 at the beginning.
        states: u64,
    },
    /// Symbolic states and the formulas that they are.
    SymbolicStates {
        /// The states.
        states: usize,
        /// The nodes of all formulas.
        nodes: usize,
    },
    /// Bounded schedules of symbolic simulation.
    Schedules {
        /// The rounds.
        rounds: u32,
        /// The threads.
        threads: u32,
        /// The walks through the code in each turn.
        walks: u32,
    },
    /// A closure over tuples of thread states is being derived.
    Tuples {
        /// The threads of a tuple.
        width: usize,
        /// The tuples so far.
        tuples: usize,
    },
    /// A closure over tuples of thread states is complete.
    Closed {
        /// The threads of a tuple.
        width: usize,
        /// The tuples.
        tuples: usize,
    },
    /// A closure over tuples of location classes was refined: classes were split.
    Classes {
        /// The threads of a tuple.
        width: usize,
        /// The classes.
        classes: usize,
    },
    /// A closure over tuples of location classes is complete.
    ClosedClasses {
        /// The threads of a tuple.
        width: usize,
        /// The tuples of classes.
        tuples: usize,
    },
    /// A relation between states and what is heard of others is saturated.
    Saturation {
        /// The round.
        round: u64,
        /// The sets of states.
        sets: usize,
    },
    /// Backward search over a basis of minimal elements.
    Basis {
        /// The elements that are minimal.
        minimal: usize,
        /// All that were found.
        all: usize,
        /// Those still to be expanded.
        waiting: usize,
    },
    /// Backward search over sets of elements.
    ElementSets {
        /// The sets.
        sets: usize,
        /// The layers that were expanded.
        popped: usize,
        /// Those still to be expanded.
        waiting: usize,
    },
    /// The order of the variables in decision diagrams, the first ones.
    VariableOrder(Vec<String>),
    /// Fixed points over rounds of a schedule.
    Fixpoint {
        /// The rounds.
        rounds: usize,
        /// The relations.
        relations: usize,
        /// Their rules.
        rules: usize,
        /// The nodes of all decision diagrams.
        nodes: usize,
    },
}
