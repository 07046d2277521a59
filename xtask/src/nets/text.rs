//! A net that is put together place by place, as text.

use std::collections::BTreeMap;
use std::fmt::Write;

/// A place, by number.
pub type Place = usize;

/// How many tokens a place starts with.
#[derive(Clone, Copy)]
pub enum Start {
    /// This many.
    Exactly(u32),
    /// This many or more.
    AtLeast(u32),
}

/// The net so far.
#[derive(Default)]
pub struct NetText {
    names: Vec<String>,
    starts: Vec<Start>,
    rules: Vec<(Arcs, Arcs)>,
    targets: Vec<Arcs>,
}

/// Places with how many tokens.
type Arcs = BTreeMap<Place, u32>;

impl NetText {
    /// A new place without tokens.
    pub fn place(&mut self, name: impl Into<String>) -> Place {
        self.place_with(name, Start::Exactly(0))
    }

    /// A new place.
    pub fn place_with(&mut self, name: impl Into<String>, start: Start) -> Place {
        self.names.push(name.into());
        self.starts.push(start);
        self.names.len() - 1
    }

    /// A rule that takes and makes a token for each time that a place is named.
    pub fn rule(&mut self, take: &[Place], make: &[Place]) {
        self.rules.push((arcs(take), arcs(make)));
    }

    /// A target: a token for each time that a place is named.
    pub fn target(&mut self, places: &[Place]) {
        self.targets.push(arcs(places));
    }

    /// The text.
    pub fn write(&self) -> String {
        let name = |place: &Place| &self.names[*place];
        let mut text = format!("vars\n  {}\n\nrules\n", self.names.join(" "));
        for (take, make) in &self.rules {
            let guards: Vec<String> = take.iter().map(|(it, n)| format!("{} >= {n}", name(it))).collect();
            let mut change: BTreeMap<Place, i64> = BTreeMap::new();
            take.iter().for_each(|(&it, &n)| *change.entry(it).or_default() -= i64::from(n));
            make.iter().for_each(|(&it, &n)| *change.entry(it).or_default() += i64::from(n));
            let update = |(it, n): (&Place, &i64)| {
                let sign = if *n < 0 { '-' } else { '+' };
                format!("{0}' = {0} {sign} {1}", name(it), n.abs())
            };
            let updates: Vec<String> = change.iter().filter(|it| *it.1 != 0).map(update).collect();
            let guards = if guards.is_empty() { "true".to_string() } else { guards.join(", ") };
            writeln!(text, "  {guards} -> {};", updates.join(", ")).expect("strings take all");
        }
        let starts: Vec<String> = (self.names.iter().zip(&self.starts))
            .map(|(name, start)| match start {
                Start::Exactly(n) => format!("{name} = {n}"),
                Start::AtLeast(n) => format!("{name} >= {n}"),
            })
            .collect();
        writeln!(text, "\ninit\n  {}\n\ntarget", starts.join(", ")).expect("strings take all");
        for target in &self.targets {
            let places: Vec<String> = target.iter().map(|(it, n)| format!("{} >= {n}", name(it))).collect();
            writeln!(text, "  {}", places.join(", ")).expect("strings take all");
        }
        text
    }
}

fn arcs(places: &[Place]) -> Arcs {
    let mut arcs = Arcs::new();
    places.iter().for_each(|&place| *arcs.entry(place).or_default() += 1);
    arcs
}
