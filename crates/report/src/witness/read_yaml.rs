//! Reads violation witnesses 2.x. Only as much of YAML is known as such files have (`yaml_text`); JSON is
//! YAML, too.

use super::condition::Condition;
use super::read::{Passage, PassageKind, Place, Segment, ViolationWitness};
use super::yaml_text;
use serde_json::Value;

/// Reads a witness: the first entry that is a sequence into a violation.
pub fn read(text: &str) -> Result<ViolationWitness, String> {
    let document = match text.trim_start().starts_with('[') {
        true => serde_json::from_str(text).map_err(|why| why.to_string())?,
        false => yaml_text::parse(text)?,
    };
    let entries = document.as_array().ok_or("it is no list of entries")?;
    let is_violation = |it: &&Value| it["entry_type"] == "violation_sequence";
    let entry = entries.iter().find(is_violation).ok_or("it has no entry of type violation_sequence")?;
    let specification = text_of(&entry["metadata"]["task"]["specification"]);
    let content = entry["content"].as_array().ok_or("its content is no list")?;
    let segments = content.iter().map(segment).collect::<Result<_, String>>()?;
    Ok(ViolationWitness { specification: specification.ok_or("it has no specification")?, segments })
}

fn segment(value: &Value) -> Result<Segment, String> {
    let passages = value["segment"].as_array().ok_or("its content is no list of segments")?;
    let mut segment = Segment::default();
    for value in passages {
        let value = &value["waypoint"];
        let list = match text_of(&value["action"]).as_deref() {
            Some("follow") => &mut segment.follow,
            Some("avoid") => &mut segment.avoid,
            _ => return Err("the action of a waypoint is neither follow nor avoid".to_string()),
        };
        list.push(passage(value)?);
    }
    Ok(segment)
}

fn passage(value: &Value) -> Result<Passage, String> {
    let constraint = text_of(&value["constraint"]["value"]);
    let condition = || Condition::read(constraint.as_deref().unwrap_or("1"));
    let kind = match text_of(&value["type"]).unwrap_or_default().as_str() {
        "assumption" => PassageKind::Assumption(condition()?),
        "branching" => PassageKind::Branching(match constraint.as_deref() {
            Some("true" | "1") => Some(true),
            Some("false" | "0") => Some(false),
            _ => None,
        }),
        "function_enter" => PassageKind::Enter,
        "function_return" => PassageKind::Return(condition()?),
        "target" => PassageKind::Target,
        other => return Err(format!("there is no type `{other}` of waypoints")),
    };
    let location = &value["location"];
    let place = Place {
        file: text_of(&location["file_name"]),
        line: number(&location["line"]).ok_or("a waypoint has no line")?,
        column: number(&location["column"]),
    };
    let thread = match &value["thread_id"] {
        Value::Null => 0,
        id => number(id).ok_or("the `thread_id` of a waypoint is no number")?,
    };
    Ok(Passage { kind, thread, place })
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

fn number(value: &Value) -> Option<u32> {
    text_of(value)?.parse().ok()
}
