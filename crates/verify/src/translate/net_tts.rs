//! Nets as thread transition systems, where each rule is one of the three that the format has.

use super::unsupported;
use base::{Id, sanitise};
use ir::Reason;
use ir::net::{Interval, Net, PlaceId, Rule};
use std::fmt::Write;

/// The most tokens of a place at the start: each is written down.
const MOST_FIXED: u32 = 1000;

/// The net as text.
pub(super) fn net(net: &Net) -> Result<String, Reason> {
    let mut text = super::tts_head(&start(net)?);
    for (place, it) in net.places().enumerate() {
        text += &format!("# local {}: {}\n", place.index(), sanitise(&it.name));
    }
    let mut line = |line: String| writeln!(text, "{line}").expect("a string takes every text");
    line(format!("{} {}", net.shared().len(), net.places().len()));
    for rule in net.rules().iter() {
        if let Some(transition) = transition(rule)? {
            line(transition);
        }
    }
    for target in net.targets() {
        let fixed = target.places.iter().map(|&(place, interval)| match interval {
            Interval { least, most: None } if least <= MOST_FIXED => Ok(vec![place; least as usize]),
            _ => Err(unsupported(
                "a target with an upper end, or of too many tokens, cannot be said in a transition system",
            )),
        });
        let fixed = numbers(fixed.collect::<Result<Vec<_>, _>>()?.concat());
        let all = net.shared().ids().filter(|&it| target.shared.is_none_or(|shared| shared == it));
        if fixed.is_empty() {
            return Err(unsupported("a target without tokens cannot be said in a transition system"));
        }
        all.for_each(|shared| line(format!("{}|{fixed}", shared.index())));
    }
    Ok(text)
}

fn numbers(places: Vec<PlaceId>) -> String {
    places.into_iter().map(|it| it.index().to_string()).collect::<Vec<_>>().join(",")
}

fn start(net: &Net) -> Result<String, Reason> {
    let (mut fixed, mut unbounded) = (vec![], vec![]);
    for (place, interval) in net.places().ids().zip(&net.start().tokens) {
        match *interval {
            Interval { least, most } if least > MOST_FIXED || most.is_some_and(|most| most != least) => {
                return Err(unsupported("a place starts with a number of tokens that `--start` cannot say"));
            }
            Interval { least, most } => {
                fixed.extend(vec![place; least as usize]);
                unbounded.extend(most.is_none().then_some(place));
            }
        }
    }
    if fixed.is_empty() && unbounded.is_empty() {
        return Err(unsupported("the net starts without tokens"));
    }
    let part = |sign: &str, list: Vec<PlaceId>| {
        if list.is_empty() { String::new() } else { format!("{sign}{}", numbers(list)) }
    };
    Ok(format!("{}{}{}", net.start().shared.index(), part("|", fixed), part("/", unbounded)))
}

/// A rule as a transition; none if it does nothing.
fn transition(rule: &Rule) -> Result<Option<String>, Reason> {
    let refuse = |why: &str| Err(unsupported(format!("a rule {why}, which a transition system cannot say")));
    if !rule.tests.is_empty() {
        return refuse("tests a number of tokens");
    }
    if rule.moves.iter().any(|it| it.to.contains(&None)) {
        return refuse("drops tokens");
    }
    let (from, to) = (rule.from.index(), rule.to.index());
    let line = |l: PlaceId, arrow: &str, after: PlaceId, transfers: &str| {
        Ok(Some(format!("{from} {} {arrow} {to} {}{transfers}", l.index(), after.index())))
    };
    match (&rule.take[..], made(rule).as_slice(), &rule.moves[..]) {
        (&[(l, 1)], &[after], []) if (from, l) == (to, after) => Ok(None),
        (&[(l, 1)], &[after], _) if (from, l) == (to, after) => {
            refuse("moves others and leaves its own token where it is")
        }
        (&[(l, 1)], &[after], _) => line(l, "->", after, &transfers(rule)),
        (&[(l, 1)], &[a, b], []) if a == l || b == l => line(l, "+>", if a == l { b } else { a }, ""),
        ([], [], []) => line(PlaceId::from_index(0), "~>", PlaceId::from_index(0), ""),
        ([], [], [only]) if only.to.len() == 1 => {
            line(only.from, "~>", only.to[0].expect("checked above"), "")
        }
        _ => refuse("takes or makes several tokens"),
    }
}

/// The places of the tokens that a rule makes, up to three of them.
fn made(rule: &Rule) -> Vec<PlaceId> {
    rule.make.iter().flat_map(|&(place, n)| vec![place; n.min(3) as usize]).take(3).collect()
}

fn transfers(rule: &Rule) -> String {
    let each = rule.moves.iter().flat_map(|it| it.to.iter().flatten().map(|to| (it.from, *to)));
    each.map(|(from, to)| format!(" {} ~> {}", from.index(), to.index())).collect()
}
