//! The JSON of a net's run.

use super::json::place;
use base::{Id, SourceMap};
use ir::Net;
use ir::net::{Marking, Move, RuleId, SharedStateId};
use ir::trace::NetTrace;
use serde::{Deserialize, Serialize};

/// A run of a net.
#[derive(Serialize, Deserialize)]
pub struct NetRun {
    start: NetStartJson,
    steps: Vec<MoveJson>,
}

#[derive(Serialize, Deserialize)]
struct NetStartJson {
    shared: u32,
    tokens: Vec<TokensJson>,
}

#[derive(Serialize, Deserialize)]
struct TokensJson {
    place: u32,
    count: u32,
    #[serde(skip_deserializing)]
    name: String,
}

#[derive(Serialize, Deserialize)]
struct MoveJson {
    rule: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    moved: Vec<Vec<u32>>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

impl NetRun {
    /// The run of a trace of this net.
    pub fn new(sources: &SourceMap, net: &Net, trace: &NetTrace) -> NetRun {
        let held = net.places().enumerate().map(|(id, place)| TokensJson {
            place: id.index() as u32,
            count: trace.start.tokens[id.index()],
            name: place.name.clone(),
        });
        let tokens = held.filter(|it| it.count > 0).collect();
        let start = NetStartJson { shared: trace.start.shared.index() as u32, tokens };
        let step = |it: &Move| {
            let (line, text) = net.rules()[it.rule].span.map(|span| place(sources, span)).unzip();
            MoveJson { rule: it.rule.index() as u32, moved: it.moved.clone(), line, text }
        };
        NetRun { start, steps: trace.steps.iter().map(step).collect() }
    }

    /// The trace of this net that the run is, or what in it the net does not have.
    pub fn about(&self, net: &Net) -> Result<NetTrace, String> {
        let has = |what: &str, index: u32, most: usize| {
            let index = index as usize;
            if index < most { Ok(index) } else { Err(format!("the net has no {what} {index}")) }
        };
        let shared = SharedStateId::from_index(has("shared state", self.start.shared, net.shared().len())?);
        let mut tokens: Vec<Option<u32>> = vec![None; net.places().len()];
        for held in &self.start.tokens {
            let index = has("place", held.place, net.places().len())?;
            if tokens[index].replace(held.count).is_some() {
                return Err(format!("place {} is listed twice", held.place));
            }
        }
        let step = |it: &MoveJson| {
            let rule = RuleId::from_index(has("rule", it.rule, net.rules().len())?);
            Ok(Move { rule, moved: it.moved.clone() })
        };
        let steps = self.steps.iter().map(step).collect::<Result<_, String>>()?;
        let tokens = tokens.into_iter().map(Option::unwrap_or_default).collect();
        Ok(NetTrace { start: Marking { shared, tokens }, steps })
    }
}
