//! Nets in Promela and NuSMV: a counter for each place, all of them together at most the bound. A rule that
//! would pass the bound is not taken.

use super::promela::{LONGEST, line};
use super::{plain, promela, smv, stopped, unsupported};
use base::{Budget, Id};
use ir::Reason;
use ir::net::{Interval, Net, PlaceId, Rule, Transfer};
use std::collections::BTreeMap;

/// The net in Promela.
pub(super) fn promela(net: &Net, bound: u32, budget: &Budget) -> Result<String, Reason> {
    let counters = Counters::new(net, bound, " && ", "==")?;
    let mut text = promela::header("tokens", bound);
    line(&mut text, format_args!("int shared, total;"));
    for place in net.places().ids() {
        line(&mut text, format_args!("byte {};", counters.name(place)));
    }
    line(&mut text, format_args!("\nactive proctype net() {{"));
    let moves = net.rules().iter().map(|rule| rule.moves.len()).max().unwrap_or(0);
    (0..moves).for_each(|index| line(&mut text, format_args!("  byte m{index};")));
    counters.promela_start(&mut text);
    line(&mut text, format_args!("end:\n  do"));
    for target in counters.targets() {
        line(&mut text, format_args!("  :: {target} -> assert(0)"));
    }
    for rule in net.rules().iter() {
        budget.spend(1).map_err(stopped)?;
        let effect = counters.promela_effect(rule).join("; ");
        line(&mut text, format_args!("  :: atomic {{ {} -> {effect} }}", counters.guard(rule)));
        short_enough(&text)?;
    }
    line(&mut text, format_args!("  :: 0 -> skip\n  od\n}}"));
    Ok(text)
}

/// The net in the language of NuSMV.
pub(super) fn smv(net: &Net, bound: u32, budget: &Budget) -> Result<String, Reason> {
    let counters = Counters::new(net, bound, " & ", "=")?;
    let mut text = smv::header("tokens", bound);
    let idle = net.rules().len();
    line(&mut text, format_args!("VAR\n  shared : 0..{};\n  total : 0..{bound};", net.shared().len() - 1));
    for place in net.places().ids() {
        line(&mut text, format_args!("  {} : 0..{bound};", counters.name(place)));
    }
    line(&mut text, format_args!("IVAR\n  rule : 0..{idle};"));
    let part = |(k, t)| format!("m{k}_{t}");
    for (k, t) in counters.parts() {
        line(&mut text, format_args!("  {} : 0..{bound};", part((k, t))));
    }
    line(&mut text, format_args!("INIT {}", counters.smv_start()));
    let mut next: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in net.places().ids().map(|it| counters.name(it)).chain(["shared".into(), "total".into()]) {
        next.insert(name, vec![]);
    }
    line(&mut text, format_args!("TRANS case"));
    for (index, rule) in net.rules().enumerate() {
        budget.spend(1).map_err(stopped)?;
        line(&mut text, format_args!("  rule = {} : {};", index.index(), counters.smv_guard(rule)));
        for (name, value) in counters.smv_effect(rule) {
            let list = next.get_mut(&name).expect("all variables are listed");
            list.push(format!("  rule = {} : {value};", index.index()));
        }
        short_enough(&text)?;
    }
    line(&mut text, format_args!("  TRUE : TRUE;\nesac"));
    for (name, cases) in next {
        line(
            &mut text,
            format_args!("TRANS next({name}) = case\n{}\n  TRUE : {name};\nesac", cases.join("\n")),
        );
        short_enough(&text)?;
    }
    let targets: Vec<String> = counters.targets().collect();
    line(&mut text, format_args!("INVARSPEC !({})", smv::SYNTAX.any(&targets)));
    Ok(text)
}

fn short_enough(text: &str) -> Result<(), Reason> {
    if text.len() > LONGEST { Err(unsupported("the model is too long")) } else { Ok(()) }
}

struct Counters<'n> {
    net: &'n Net,
    bound: u32,
    and: &'static str,
    same: &'static str,
}

impl<'n> Counters<'n> {
    fn new(net: &'n Net, bound: u32, and: &'static str, same: &'static str) -> Result<Self, Reason> {
        let mixed = |it: &Transfer| it.to.len() > 1 && it.to.contains(&None);
        if net.rules().iter().any(|rule| rule.moves.iter().any(mixed)) {
            return Err(unsupported("a rule drops some tokens of a place and moves others"));
        }
        Ok(Self { net, bound, and, same })
    }

    fn name(&self, place: PlaceId) -> String {
        format!("p{}_{}", place.index(), plain(&self.net.places()[place].name))
    }

    fn lies(&self, place: PlaceId, interval: Interval) -> Vec<String> {
        let name = self.name(place);
        let least = (interval.least > 0).then(|| format!("{name} >= {}", interval.least));
        let most = interval.most.map(|most| format!("{name} <= {most}"));
        least.into_iter().chain(most).collect()
    }

    fn targets(&self) -> impl Iterator<Item = String> {
        self.net.targets().iter().map(|target| {
            let shared = target.shared.map(|it| format!("shared {} {}", self.same, it.index()));
            // `shared >= 0` always holds: a target may name nothing at all.
            let parts = std::iter::once("shared >= 0".to_string()).chain(shared);
            let places = target.places.iter().flat_map(|&(place, it)| self.lies(place, it));
            format!("({})", parts.chain(places).collect::<Vec<_>>().join(self.and))
        })
    }

    fn taken(&self, rule: &Rule, place: PlaceId) -> u32 {
        rule.take.iter().find(|it| it.0 == place).map_or(0, |it| it.1)
    }

    /// The tokens of a place that are not taken.
    fn left(&self, rule: &Rule, place: PlaceId) -> String {
        match self.taken(rule, place) {
            0 => self.name(place),
            n => format!("({} - {n})", self.name(place)),
        }
    }

    /// The sum of tokens after a rule.
    fn total(&self, rule: &Rule) -> String {
        let sum = |list: &[(PlaceId, u32)]| list.iter().map(|it| u64::from(it.1)).sum::<u64>();
        let dropped = rule.moves.iter().filter(|it| it.to == [None]).map(|it| self.left(rule, it.from));
        let dropped: String = dropped.map(|it| format!(" - {it}")).collect();
        format!("total + {} - {}{dropped}", sum(&rule.make), sum(&rule.take))
    }

    fn guard(&self, rule: &Rule) -> String {
        let mut all = vec![format!("shared {} {}", self.same, rule.from.index())];
        all.extend(rule.tests.iter().flat_map(|&(place, it)| self.lies(place, it)));
        all.extend(rule.take.iter().map(|&(place, n)| format!("{} >= {n}", self.name(place))));
        all.push(format!("{} <= {}", self.total(rule), self.bound));
        all.join(self.and)
    }

    // ---- Promela
    // ---------------------------------------------------------------------------------------------------

    fn promela_start(&self, text: &mut String) {
        let start = self.net.start();
        let least: u64 = start.tokens.iter().map(|it| u64::from(it.least)).sum();
        // Where the start does not fit into the bound nothing ever happens.
        line(text, format_args!("end_start:\n  {} <= {};", least, self.bound));
        line(text, format_args!("  atomic {{\n    shared = {}; total = {least};", start.shared.index()));
        for (place, it) in self.net.places().ids().zip(&start.tokens) {
            let name = self.name(place);
            let most = it.most.map_or(self.bound, |most| most.min(self.bound));
            if it.least > 0 {
                line(text, format_args!("    {name} = {};", it.least.min(self.bound)));
            }
            if most > it.least {
                let more = format!("{name} < {most} && total < {}", self.bound);
                line(text, format_args!("    do :: {more} -> {name}++; total++ :: break od;"));
            }
        }
        line(text, format_args!("  }}"));
    }

    fn promela_effect(&self, rule: &Rule) -> Vec<String> {
        let mut all = vec![format!("total = {}", self.total(rule))];
        all.extend(rule.take.iter().map(|&(place, n)| format!("{0} = {0} - {n}", self.name(place))));
        for (index, it) in rule.moves.iter().enumerate() {
            all.push(format!("m{index} = {0}; {0} = 0", self.name(it.from)));
        }
        for (index, it) in rule.moves.iter().enumerate() {
            let targets: Vec<String> = it.to.iter().flatten().map(|&to| self.name(to)).collect();
            match &targets[..] {
                [] => {}
                [only] => all.push(format!("{only} = {only} + m{index}")),
                _ => {
                    let each = targets.iter().map(|to| format!(":: m{index} > 0 -> m{index}--; {to}++ "));
                    all.push(format!("do {}:: m{index} == 0 -> break od", each.collect::<String>()));
                }
            }
            all.push(format!("m{index} = 0"));
        }
        all.extend(rule.make.iter().map(|&(place, n)| format!("{0} = {0} + {n}", self.name(place))));
        all.push(format!("shared = {}", rule.to.index()));
        all
    }

    // ---- NuSMV
    // -----------------------------------------------------------------------------------------------------

    /// The input variables that say how many tokens of move k go to its target t.
    fn parts(&self) -> Vec<(usize, usize)> {
        let split = |rule: &Rule| {
            let wide = rule.moves.iter().enumerate().filter(|(_, it)| it.to.len() > 1);
            wide.flat_map(|(k, it)| (0..it.to.len()).map(move |t| (k, t))).collect::<Vec<_>>()
        };
        let mut all: Vec<(usize, usize)> = self.net.rules().iter().flat_map(split).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn smv_start(&self) -> String {
        let start = self.net.start();
        let mut all = vec![format!("shared = {}", start.shared.index())];
        let (mut fixed, mut sum) = (0u64, String::new());
        for (place, it) in self.net.places().ids().zip(&start.tokens) {
            let name = self.name(place);
            match it.most {
                Some(most) if most == it.least => {
                    all.push(format!("{name} = {most}"));
                    fixed += u64::from(most);
                }
                _ => {
                    all.extend(self.lies(place, *it));
                    sum += &format!(" + {name}");
                }
            }
        }
        all.push(format!("total = {fixed}{sum}"));
        all.join(self.and)
    }

    fn smv_guard(&self, rule: &Rule) -> String {
        let mut all = vec![self.guard(rule)];
        for (k, it) in rule.moves.iter().enumerate().filter(|(_, it)| it.to.len() > 1) {
            let sum: Vec<String> = (0..it.to.len()).map(|t| format!("m{k}_{t}")).collect();
            all.push(format!("{} = {}", sum.join(" + "), self.left(rule, it.from)));
        }
        all.join(self.and)
    }

    fn smv_effect(&self, rule: &Rule) -> BTreeMap<String, String> {
        let mut flow: BTreeMap<PlaceId, Vec<String>> = BTreeMap::new();
        for (k, it) in rule.moves.iter().enumerate() {
            flow.entry(it.from).or_default();
            for (t, to) in it.to.iter().enumerate().filter_map(|(t, to)| Some((t, (*to)?))) {
                let part = if it.to.len() > 1 { format!("m{k}_{t}") } else { self.left(rule, it.from) };
                flow.entry(to).or_default().push(part);
            }
        }
        for &(place, n) in &rule.make {
            flow.entry(place).or_default().push(n.to_string());
        }
        for &(place, _) in &rule.take {
            flow.entry(place).or_default();
        }
        let moved = |place: PlaceId| rule.moves.iter().any(|it| it.from == place);
        let sum = |(place, parts): (PlaceId, Vec<String>)| {
            let own = if moved(place) { "0".to_string() } else { self.left(rule, place) };
            let all: Vec<String> = std::iter::once(own).chain(parts).collect();
            (self.name(place), all.join(" + "))
        };
        let mut all: BTreeMap<String, String> = flow.into_iter().map(sum).collect();
        all.insert("shared".to_string(), rule.to.index().to_string());
        all.insert("total".to_string(), self.total(rule));
        all
    }
}
