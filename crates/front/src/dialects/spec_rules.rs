//! What a rule of a `.spec` file means as a rule of a net. A rule is an affine map of the numbers of tokens;
//! it is a rule of a net exactly if every token goes to one place at most: the old value of a place may stay,
//! be added to one other place (a transfer) or vanish (a reset). A map that copies or multiplies tokens is
//! refused.

use super::spec_text::{Constraint, RuleText, Update};
use base::{Arena, Diagnostic, Diagnostics, Id};
use ir::net::{Interval, Place, PlaceId, Rule, SharedStateId, Transfer};
use std::collections::{BTreeMap, HashMap};

/// The rule of the net, unless there is none: then `found` says why.
pub(super) fn rule(text: &RuleText, places: &Arena<PlaceId, Place>, found: &mut Diagnostics) -> Option<Rule> {
    let mut maker = Maker { text, places, found, flows: BTreeMap::new(), sound: true };
    maker.distinct();
    maker.flow();
    let guards: HashMap<PlaceId, u32> = text.guards.iter().map(|it| (it.place, it.interval.least)).collect();
    let take = maker.take(&guards);
    if !maker.sound {
        return None;
    }
    let only = SharedStateId::from_index(0);
    let make = text.updates.iter().filter_map(|it| Some((it.place, u32::try_from(it.constant).ok()?)));
    Some(Rule {
        from: only,
        to: only,
        tests: text.guards.iter().filter_map(|guard| test(guard, &take)).collect(),
        moves: maker.moves(),
        make: make.filter(|it| it.1 > 0).collect(),
        take: take.into_iter().collect(),
        span: Some(text.span),
    })
}

/// What is left to test when the taken tokens are there.
fn test(guard: &Constraint, take: &BTreeMap<PlaceId, u32>) -> Option<(PlaceId, Interval)> {
    let taken = take.get(&guard.place).copied().unwrap_or(0);
    let says_more = guard.interval.least > taken || guard.interval.most.is_some();
    says_more.then_some((guard.place, guard.interval))
}

struct Maker<'a> {
    text: &'a RuleText,
    places: &'a Arena<PlaceId, Place>,
    found: &'a mut Diagnostics,
    /// The place that the tokens of a place go to, for the places on the right sides.
    flows: BTreeMap<PlaceId, PlaceId>,
    sound: bool,
}

impl Maker<'_> {
    fn refuse(&mut self, code: &'static str, update: &Update, message: String, help: String) {
        self.sound = false;
        self.found.push(Diagnostic::error(code, update.span, message).help(help));
    }

    fn name(&self, place: PlaceId) -> &str {
        &self.places[place].name
    }

    /// Each place stands in one guard and in one update at most.
    fn distinct(&mut self) {
        let guards = self.text.guards.iter().map(|it| (it.place, it.span));
        let updates = self.text.updates.iter().map(|it| (it.place, it.span));
        for (list, what) in [(guards.collect::<Vec<_>>(), "tested"), (updates.collect(), "assigned")] {
            let mut seen = HashMap::new();
            for (place, span) in list {
                if let Some(first) = seen.insert(place, span) {
                    self.sound = false;
                    let message = format!("`{}` is {what} twice in one rule", self.name(place));
                    let finding = Diagnostic::error("E0523", span, message).label(first, "here first");
                    self.found.push(finding.help("say it once"));
                }
            }
        }
    }

    /// Finds out where the tokens of each place go.
    fn flow(&mut self) {
        let text = self.text;
        for update in &text.updates {
            for &source in &update.sum {
                if let Some(to) = self.flows.insert(source, update.place) {
                    let (source, to, also) = (self.name(source), self.name(to), self.name(update.place));
                    let message = format!(
                        "the tokens of `{source}` go to `{to}` and again to `{also}`: no rule of a net copies tokens"
                    );
                    let help = format!("let `{source}` stand on the right once");
                    self.refuse("E0524", update, message, help);
                }
            }
        }
        let assigned: HashMap<PlaceId, &Update> = text.updates.iter().map(|it| (it.place, it)).collect();
        for update in &text.updates {
            for source in update.sum.iter().filter(|source| !assigned.contains_key(source)) {
                let (source, to) = (self.name(*source), self.name(update.place));
                let message = format!(
                    "`{source}` keeps its tokens and `{to}` gets them too: no rule of a net copies tokens"
                );
                let help = format!("add `{source}' = 0` if its tokens move to `{to}`");
                self.refuse("E0524", update, message, help);
            }
        }
    }

    /// Where an update takes tokens away: `x' = x - n` needs n tokens in x, whether or not a guard says so.
    fn take(&mut self, guards: &HashMap<PlaceId, u32>) -> BTreeMap<PlaceId, u32> {
        let text = self.text;
        let mut take = BTreeMap::new();
        for update in text.updates.iter().filter(|it| it.constant < 0) {
            let Ok(mut rest) = u32::try_from(-update.constant) else {
                self.refuse(
                    "E0525",
                    update,
                    "this number is too large".into(),
                    "numbers go up to 4294967295".into(),
                );
                continue;
            };
            let name = self.name(update.place).to_string();
            match update.sum[..] {
                [] => {
                    let message = format!("`{name}` would hold fewer than no tokens");
                    self.refuse("E0525", update, message, format!("write `{name}' = {name} - {rest}`"));
                }
                [only] => drop(take.insert(only, rest)),
                _ => {
                    for &source in &update.sum {
                        let part = rest.min(guards.get(&source).copied().unwrap_or(0));
                        rest -= part;
                        take.insert(source, part);
                    }
                    if rest > 0 {
                        let message = format!("which tokens the update of `{name}` takes away is unclear");
                        let help = format!("add a guard such as `{} >= {rest}`", self.name(update.sum[0]));
                        self.refuse("E0526", update, message, help);
                    }
                }
            }
        }
        take.retain(|_, n| *n > 0);
        take
    }

    fn moves(&self) -> Vec<Transfer> {
        let to = |update: &Update| match self.flows.get(&update.place) {
            Some(&stays) if stays == update.place => None,
            to => Some(Transfer { from: update.place, to: vec![to.copied()] }),
        };
        self.text.updates.iter().filter_map(to).collect()
    }
}
