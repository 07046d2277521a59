//! What is written down of an access: a number for each cell that is always the same and what is done to it;
//! elsewhere one for all objects that accesses may mix up, and the address.

use super::sites::{Mode, Site, Sites};
use c::{ObjectId, ObjectScope, Place, Program};
use std::collections::{BTreeMap, BTreeSet};

/// A kind of access.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    /// To a cell of an object of which there is one.
    Fixed(ObjectId, i64),
    /// To some cell of objects that belong together, by the smallest of their numbers.
    Mixed(u32),
}

/// The numbers.
pub struct Classes {
    /// By access: its number, if a thread may stop before it.
    number: Vec<Option<u128>>,
    /// By access: whether its address is needed.
    addressed: Vec<bool>,
    /// By access: the accesses that may race with it and stop.
    rivals: Vec<Vec<usize>>,
    modes: Vec<Mode>,
    /// How many numbers there are.
    pub count: usize,
}

/// What a thread asserts before an access.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Check {
    /// These numbers are not written down.
    pub direct: BTreeSet<u128>,
    /// These are not written down with the address of the access.
    pub addressed: BTreeSet<u128>,
}

impl Check {
    /// Whether nothing is asserted.
    pub fn is_empty(&self) -> bool {
        self.direct.is_empty() && self.addressed.is_empty()
    }
}

impl Classes {
    /// Gives accesses their numbers.
    pub fn new(program: &Program, sites: &Sites) -> Classes {
        let involved: BTreeSet<usize> = sites.pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        let together = Together::new(&involved.iter().map(|&it| &sites.all[it]).collect::<Vec<_>>());
        let mixed: BTreeSet<u32> = involved
            .iter()
            .map(|&it| &sites.all[it])
            .filter(|it| fixed(program, it).is_none())
            .filter_map(|it| together.of(it))
            .collect();
        let kind = |site: &Site| {
            let group = together.of(site).unwrap_or_default();
            match fixed(program, site).filter(|_| !mixed.contains(&group)) {
                Some((object, offset)) => Kind::Fixed(object, offset),
                None => Kind::Mixed(group),
            }
        };
        let mut classes = Classes {
            number: vec![None; sites.all.len()],
            addressed: vec![false; sites.all.len()],
            rivals: vec![vec![]; sites.all.len()],
            modes: sites.all.iter().map(|it| it.mode).collect(),
            count: 0,
        };
        let mut numbers: BTreeMap<(Kind, Mode), u128> = BTreeMap::new();
        for &(stops, asserts) in &sites.pairs {
            let site = &sites.all[stops];
            let next = numbers.len() as u128 + 1;
            let kind = kind(site);
            classes.number[stops] = Some(*numbers.entry((kind, site.mode)).or_insert(next));
            classes.addressed[stops] = matches!(kind, Kind::Mixed(_)) && site.place.is_some();
            classes.rivals[asserts].push(stops);
        }
        classes.count = numbers.len();
        classes
    }

    /// The number with which a thread stops before an access, and whether it writes down the address.
    pub fn stop(&self, site: usize) -> Option<(u128, bool)> {
        self.number[site].map(|number| (number, self.addressed[site]))
    }

    /// What is asserted before an access to a place, about accesses that stop and do this.
    pub fn check(&self, site: usize, places: bool, counts: impl Fn(Mode) -> bool) -> Check {
        let mut check = Check::default();
        for &rival in self.rivals[site].iter().filter(|&&it| counts(self.modes[it])) {
            let number = self.number[rival].expect("who is raced with stops");
            match self.addressed[rival] && places {
                true => check.addressed.insert(number),
                false => check.direct.insert(number),
            };
        }
        check
    }

    /// Whether any address is written down.
    pub fn any_address(&self) -> bool {
        self.addressed.contains(&true)
    }
}

/// The cell that an access always goes to.
fn fixed(program: &Program, site: &Site) -> Option<(ObjectId, i64)> {
    let Some((Place::Object { object, offset }, _)) = site.place else { return None };
    (program.objects()[object].scope == ObjectScope::Static).then_some((object, offset))
}

/// Which objects accesses may mix up, as a forest.
struct Together {
    parent: BTreeMap<u32, u32>,
}

impl Together {
    fn new(sites: &[&Site]) -> Together {
        let mut made = Together { parent: BTreeMap::new() };
        for site in sites {
            let Some(&first) = site.targets.first() else { continue };
            for &other in &site.targets {
                let (a, b) = (made.root(first), made.root(other));
                made.parent.insert(a.max(b), a.min(b));
            }
        }
        made
    }

    fn root(&self, object: u32) -> u32 {
        let mut at = object;
        while let Some(&next) = self.parent.get(&at).filter(|&&next| next != at) {
            at = next;
        }
        at
    }

    fn of(&self, site: &Site) -> Option<u32> {
        site.targets.first().map(|&it| self.root(it))
    }
}

/// The address of a place.
pub fn address(builder: &mut c::Builder, place: Place) -> c::ExprId {
    let word = c::Type::Bits(builder.draft().pointer_bits());
    let (base, offset) = match place {
        Place::Object { object, offset } => (builder.address(object), Err(offset)),
        Place::Indexed { object, offset } => (builder.address(object), Ok(offset)),
        Place::Pointer { pointer, offset } => (pointer, Err(offset)),
    };
    let offset = match offset {
        Ok(offset) => offset,
        Err(0) => return base,
        Err(bytes) => builder.exprs().number(word, bytes as i128 as u128),
    };
    builder.exprs().binary(c::Binary::Add, base, offset)
}

/// A name that no object has.
fn new_name(program: &Program, wanted: &str) -> String {
    let taken = |name: &str| program.objects().iter().any(|it| it.name == name);
    let mut name = wanted.to_string();
    while taken(&name) {
        name.push('\'');
    }
    name
}

/// A new object of one scalar.
pub fn cell(builder: &mut c::Builder, name: &str, ty: c::Type) -> ObjectId {
    let bits = builder.draft().pointer_bits();
    let layout = builder.layout(c::Layout::scalar(ty, bits));
    let name = new_name(builder.draft(), name);
    let scope = ObjectScope::Static;
    builder.object(c::Object { name, scope, layout, count: 1, init: vec![], constant: false })
}
