//! What random programs may contain.

use base::Random;

/// What the programs may contain: each number is how often, in percent.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    /// Further procedures, called or started.
    pub procedures: usize,
    /// Calls that may be recursive.
    pub recursion: usize,
    /// `start_thread`.
    pub spawns: usize,
    /// Atomic sections.
    pub sections: usize,
    /// Locks.
    pub locks: usize,
    /// Broadcast assignments.
    pub broadcasts: usize,
    /// `constrain` and `assume` over passive copies.
    pub passive_conditions: usize,
    /// `enforce`.
    pub enforce: usize,
    /// Starts other than one thread at `main`.
    pub templates: usize,
    /// The most statements of a procedure.
    pub statements: usize,
    /// Each of the rarer shapes: see [`Shapes`].
    pub wild: usize,
    /// Locals that a procedure writes before it reads them, where it has any: more of them change no verdict.
    pub spare: usize,
}

impl Profile {
    /// Everything but recursion.
    pub const ALL: Profile = Profile {
        procedures: 40,
        recursion: 0,
        spawns: 70,
        sections: 40,
        locks: 15,
        broadcasts: 30,
        passive_conditions: 15,
        enforce: 10,
        templates: 30,
        statements: 7,
        wild: 0,
        spare: 1,
    };
    /// Everything, recursion included.
    pub const RECURSIVE: Profile = Profile { procedures: 100, recursion: 60, ..Profile::ALL };
    /// Only monotone programs.
    pub const MONOTONE: Profile = Profile { passive_conditions: 0, ..Profile::ALL };
    /// Broadcasts in every program.
    pub const BROADCASTS: Profile = Profile { broadcasts: 100, spawns: 100, procedures: 0, ..Profile::ALL };
    /// Spawning in every program.
    pub const SPAWNING: Profile =
        Profile { spawns: 100, broadcasts: 0, passive_conditions: 0, ..Profile::ALL };
    /// Everything, and the rarer shapes, in small programs: the smaller, the more often two of them meet.
    pub const WILD: Profile = Profile {
        procedures: 50,
        recursion: 25,
        broadcasts: 25,
        enforce: 20,
        templates: 50,
        statements: 5,
        wild: 35,
        ..Profile::ALL
    };
    /// The rarer shapes in programs of very few statements.
    pub const TINY: Profile =
        Profile { spawns: 80, sections: 55, broadcasts: 35, statements: 3, wild: 50, ..Profile::WILD };
}

/// Shapes that nobody writes on purpose; each is in or out for the whole program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shapes {
    /// Statements that a thread never passes, above all behind `start_thread` and inside sections.
    pub dead_ends: bool,
    /// Several error labels, above all where children begin.
    pub errors: bool,
    /// An `init` with statements of every kind, which may never end.
    pub long_init: bool,
    /// `enforce` for single locations, and conditions that never hold.
    pub places: bool,
    /// Two thread-local variables; broadcasts to several locals at once.
    pub thread_locals: bool,
    /// Broadcasts to, and conditions over, locals of another procedure.
    pub far: bool,
    /// A shared variable that enters and leaves sections, also by a result.
    pub section_variable: bool,
    /// Locals that are written before they are read.
    pub spare: bool,
    /// Several threads from the start.
    pub several: bool,
    /// Procedures without statements.
    pub empty: bool,
    /// A kind of statement that there is more of.
    pub(super) favourite: Option<Favourite>,
}

/// A kind of statement that a program may have more of than of others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Favourite {
    Call,
    Start,
    Broadcast,
    Jump,
}

impl Shapes {
    /// Each with this chance; nothing is drawn where there is none, so that the other profiles keep their
    /// programs.
    pub(super) fn toss(random: &mut Random, percent: usize) -> Shapes {
        if percent == 0 {
            return Shapes::default();
        }
        use Favourite::{Broadcast, Call, Jump, Start};
        let favourites = [None, Some(Call), Some(Call), Some(Start), Some(Broadcast), Some(Jump)];
        let mut toss = || random.percent(percent);
        Shapes {
            dead_ends: toss(),
            errors: toss(),
            long_init: toss(),
            places: toss(),
            thread_locals: toss(),
            far: toss(),
            section_variable: toss(),
            spare: toss(),
            several: toss(),
            empty: toss(),
            favourite: favourites[random.below(favourites.len())],
        }
    }
}
