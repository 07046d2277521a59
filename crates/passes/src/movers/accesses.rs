//! Who touches which scalar, and with which mutexes held. Only steps that are taken while there may be
//! several threads count.

use base::{Budget, Id, Stop};
use c::{Effects, Locksets, ObjectId, ObjectScope, Place, ProcId, Program};
use std::collections::BTreeMap;

/// What all accesses to something have in common.
#[derive(Clone, Copy, Debug)]
struct Summary {
    /// The mutexes that are held at all of them.
    held: u64,
    /// Whether one writes.
    writes: bool,
    /// The procedure that all of them are in, if there is only one.
    only: Option<ProcId>,
    /// Whether there are any.
    any: bool,
}

impl Summary {
    const NONE: Summary = Summary { held: u64::MAX, writes: false, only: None, any: false };

    fn and(self, other: Summary) -> Summary {
        let only = match (self.any, other.any) {
            (true, true) => self.only.filter(|_| self.only == other.only),
            (true, false) => self.only,
            (false, _) => other.only,
        };
        Summary {
            held: self.held & other.held,
            writes: self.writes || other.writes,
            only,
            any: self.any || other.any,
        }
    }
}

/// The accesses of a program.
pub struct Accesses {
    /// By object and offset in bytes; no offset: a computed one, or that of no whole scalar.
    scalars: BTreeMap<(ObjectId, Option<i64>), Summary>,
    /// By object: all of them.
    objects: BTreeMap<ObjectId, Summary>,
    /// Through pointers.
    pointers: Summary,
    /// By object: whether a pointer may lead to it.
    addressed: Vec<bool>,
    /// The procedure that one thread runs, and nobody else.
    main: Option<ProcId>,
}

impl Accesses {
    /// Finds them; `alone` says by location whether there is only one thread.
    pub fn new(
        program: &Program,
        effects: &[Effects],
        locksets: &Locksets,
        alone: &[bool],
        budget: &Budget,
    ) -> Result<Accesses, Stop> {
        let created = effects.iter().any(|effects| effects.creates() == Some(program.main()));
        let mut made = Accesses {
            scalars: BTreeMap::new(),
            objects: BTreeMap::new(),
            pointers: Summary::NONE,
            addressed: program.addressed(),
            main: (!created).then(|| program.main()),
        };
        for (loc, location) in program.locations().enumerate() {
            budget.spend(1)?;
            let Some((access, place, bits)) = effects[loc.index()].scalar() else { continue };
            let writes = access.kind.writes();
            if alone[loc.index()] || location.private {
                continue;
            }
            let only = Some(location.procedure);
            let exact = program.hits_scalar(place, bits);
            made.note(place, exact, Summary { held: locksets.at(loc), writes, only, any: true });
        }
        Ok(made)
    }

    /// An access to a part of a scalar, or to several, is one to any part of its object.
    fn note(&mut self, place: Place, exact: bool, summary: Summary) {
        let add = |into: &mut Summary| *into = into.and(summary);
        match place {
            Place::Object { object, offset } => {
                let known = exact.then_some(offset);
                add(self.scalars.entry((object, known)).or_insert(Summary::NONE));
                add(self.objects.entry(object).or_insert(Summary::NONE));
            }
            Place::Indexed { object, .. } => {
                add(self.scalars.entry((object, None)).or_insert(Summary::NONE));
                add(self.objects.entry(object).or_insert(Summary::NONE));
            }
            Place::Pointer { .. } => add(&mut self.pointers),
        }
    }

    /// Whether a pointer may lead to the object.
    pub fn is_addressed(&self, object: ObjectId) -> bool {
        self.addressed[object.index()]
    }

    /// Whether no step of another thread that is possible while this one stands there touches the same scalar
    /// in a way that matters.
    pub fn commutes(&self, program: &Program, place: Place, bits: u8) -> bool {
        let (object, named) = match place {
            Place::Object { object, offset } if program.hits_scalar(place, bits) => {
                let of = |key| self.scalars.get(&key).copied().unwrap_or(Summary::NONE);
                (object, of((object, Some(offset))).and(of((object, None))))
            }
            Place::Object { object, .. } | Place::Indexed { object, .. } => {
                (object, self.objects.get(&object).copied().unwrap_or(Summary::NONE))
            }
            Place::Pointer { .. } => return false,
        };
        let addressed = self.is_addressed(object);
        if program.objects()[object].scope != ObjectScope::Static {
            // Each thread has its own.
            return !addressed;
        }
        let all = if addressed { named.and(self.pointers) } else { named };
        !all.writes || all.held != 0 || self.main.is_some() && all.only == self.main
    }
}
