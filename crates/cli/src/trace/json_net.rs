//! The JSON of a net's trace. Shared states, places and rules are numbers, in the order of the net.

use base::Id;
use ir::Net;
use ir::net::{Marking, Move, RuleId, SharedStateId};
use ir::trace::NetTrace;
use serde::{Deserialize, Serialize};

/// A run of a net.
#[derive(Serialize, Deserialize)]
pub struct Run {
    start: StartJson,
    steps: Vec<MoveJson>,
}

#[derive(Serialize, Deserialize)]
struct StartJson {
    shared: usize,
    /// Places that hold tokens, with how many.
    tokens: Vec<(usize, u32)>,
}

#[derive(Serialize, Deserialize)]
struct MoveJson {
    rule: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    moved: Vec<Vec<u32>>,
}

impl From<&NetTrace> for Run {
    fn from(trace: &NetTrace) -> Run {
        let tokens = trace.start.tokens.iter().copied().enumerate().filter(|&(_, n)| n > 0).collect();
        let start = StartJson { shared: trace.start.shared.index(), tokens };
        let step = |it: &Move| MoveJson { rule: it.rule.index(), moved: it.moved.clone() };
        Run { start, steps: trace.steps.iter().map(step).collect() }
    }
}

impl Run {
    /// The run as one of this net, or what in it the net does not have.
    pub fn about(&self, net: &Net) -> Result<NetTrace, String> {
        let has = |what: &str, index: usize, most: usize| {
            if index < most { Ok(index) } else { Err(format!("the net has no {what} {index}")) }
        };
        let shared = SharedStateId::from_index(has("shared state", self.start.shared, net.shared().len())?);
        let mut tokens = vec![0; net.places().len()];
        for &(place, n) in &self.start.tokens {
            let index = has("place", place, net.places().len())?;
            if std::mem::replace(&mut tokens[index], n) != 0 {
                return Err(format!("place {place} is listed twice"));
            }
        }
        let step = |it: &MoveJson| {
            let rule = RuleId::from_index(has("rule", it.rule, net.rules().len())?);
            Ok(Move { rule, moved: it.moved.clone() })
        };
        let steps = self.steps.iter().map(step).collect::<Result<_, String>>()?;
        Ok(NetTrace { start: Marking { shared, tokens }, steps })
    }
}
