//! Which engines there are and which of them a question is put to, in which order.

use crate::c;
use ::passes::c::{CPass, PASSES};
use base::{Setting, Settings};
use engines::{Condition, Counter, Cover, Engine, Explicit, Modular, Rounds, Simulate};

/// All engines for Boolean programs and nets, in the order in which `auto` asks them; those for C are
/// [`c::engines`].
pub fn engines() -> &'static [&'static dyn Engine] {
    &[&Explicit, &Modular, &Cover, &Counter, &Rounds, &Simulate]
}

/// The options of the passes.
pub fn pass_settings() -> &'static [Setting] {
    passes::SETTINGS
}

/// The options of the properties of C programs, which say how a file is read.
pub fn property_settings() -> &'static [Setting] {
    ir::property::SETTINGS
}

/// Sets an option of an engine, a pass or a property.
pub fn set(settings: &mut Settings, name: &str, value: &str) -> Result<(), String> {
    let mut tables: Vec<&[Setting]> = engines().iter().map(|engine| engine.settings()).collect();
    tables.extend([pass_settings(), property_settings()]);
    tables.extend(c::engines().iter().map(|engine| engine.settings()));
    settings.set(&tables, name, value)
}

/// Who is asked, and with which options.
#[derive(Clone)]
pub struct Plan {
    /// The engines, in this order. Where none of them takes a model all do that can.
    pub engines: Vec<&'static dyn Engine>,
    /// The passes on C programs, in this order.
    pub passes: &'static [CPass],
    /// The options of engines and passes.
    pub settings: Settings,
    /// Where random choices start.
    pub seed: u64,
    /// Conditions that predicate abstraction begins with.
    pub predicates: Vec<Condition>,
    /// The length of the first round and the least length of the others, in the time that engines share
    /// (`portfolio::candidates`).
    pub first_round: u64,
    /// The most ticks that each engine has.
    pub most_ticks: u64,
}

/// A few milliseconds: small questions should cost little.
const FIRST_ROUND: u64 = 400_000;

impl Default for Plan {
    /// Asks all engines.
    fn default() -> Plan {
        Plan::of(engines().iter().chain(c::engines()).copied().collect())
    }
}

impl Plan {
    /// Asks these engines with the default options.
    pub fn of(engines: Vec<&'static dyn Engine>) -> Plan {
        Plan {
            engines,
            passes: PASSES,
            settings: Settings::default(),
            seed: 0,
            predicates: vec![],
            first_round: FIRST_ROUND,
            most_ticks: u64::MAX,
        }
    }

    /// Asks the engines with these names; no name and `auto` stand for all. Each engine is asked once.
    pub fn named(names: &[String]) -> Result<Plan, String> {
        let all: Vec<&'static dyn Engine> = engines().iter().chain(c::engines()).copied().collect();
        choose(&all, names).map(Plan::of)
    }
}

fn choose(all: &[&'static dyn Engine], names: &[String]) -> Result<Vec<&'static dyn Engine>, String> {
    let mut chosen: Vec<&'static dyn Engine> = vec![];
    let auto = ["auto".to_string()];
    for name in if names.is_empty() { &auto[..] } else { names } {
        let fits = |engine: &&'static dyn Engine| name == "auto" || engine.name() == name;
        let found: Vec<_> = all.iter().copied().filter(fits).collect();
        if found.is_empty() {
            let known: Vec<&str> = all.iter().map(|engine| engine.name()).collect();
            return Err(format!("there is no engine `{name}`; there are `auto`, `{}`", known.join("`, `")));
        }
        let new: Vec<_> =
            found.into_iter().filter(|it| chosen.iter().all(|other| other.name() != it.name())).collect();
        chosen.extend(new);
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_asked_once_in_the_order_given() {
        let names = |list: &[&str]| {
            let list: Vec<String> = list.iter().map(|name| name.to_string()).collect();
            Plan::named(&list).map(|plan| plan.engines.iter().map(|engine| engine.name()).collect::<Vec<_>>())
        };
        assert_eq!(names(&["rounds", "explicit", "rounds"]), Ok(vec!["rounds", "explicit"]));
        let auto = names(&["auto"]).expect("auto is always there");
        assert_eq!((auto.len(), names(&[])), (engines().len() + c::engines().len(), Ok(auto)));
        assert!(names(&["explicit", "magic"]).is_err_and(|why| why.contains("`magic`")));
    }

    #[test]
    fn every_option_belongs_to_its_engine_and_takes_its_default() {
        let mut tables: Vec<(&str, &[Setting])> =
            engines().iter().map(|it| (it.name(), it.settings())).collect();
        tables.push(("passes", pass_settings()));
        let word = |name| if name == "abstract" { "abstraction" } else { name };
        tables.extend(c::engines().iter().map(|it| (word(it.name()), it.settings())));
        for (name, table) in tables {
            for setting in table {
                assert_eq!(setting.name.split('.').next(), Some(name));
                assert_eq!(
                    set(&mut Settings::default(), setting.name, setting.default),
                    Ok(()),
                    "{}",
                    setting.name
                );
            }
        }
    }
}
