//! As much of JSON Schema as the schemas beside this file use, so that every document that the tests make is
//! compared with what its page in `docs/formats/` says.

use serde_json::Value;

/// What is wrong with a value, with the path to it; nothing, if it is valid.
pub fn problems(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = vec![];
    Checker { root: schema, found: &mut found }.check(schema, value, "");
    found
}

struct Checker<'a> {
    root: &'a Value,
    found: &'a mut Vec<String>,
}

/// The keywords that are known; a schema with another one is refused.
const KEYWORDS: [&str; 14] = [
    "$comment",
    "$defs",
    "$ref",
    "type",
    "const",
    "enum",
    "format",
    "minimum",
    "required",
    "properties",
    "additionalProperties",
    "items",
    "minItems",
    "anyOf",
];

impl Checker<'_> {
    fn check(&mut self, schema: &Value, value: &Value, path: &str) {
        for keyword in schema.as_object().expect("a schema is an object").keys() {
            assert!(KEYWORDS.contains(&keyword.as_str()), "the schema has the keyword {keyword}");
        }
        let mut wrong = |why: String| self.found.push(format!("{path}: {why}"));
        if let Some(ty) = schema["type"].as_str() {
            let fits = match ty {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "integer" => value.is_u64() || value.is_i64(),
                "boolean" => value.is_boolean(),
                other => panic!("the schema has the type {other}"),
            };
            if !fits {
                return wrong(format!("it is no {ty}"));
            }
        }
        if let Some(expected) = schema.get("const").filter(|it| *it != value) {
            wrong(format!("{value} is not {expected}"));
        }
        if schema["enum"].as_array().is_some_and(|it| !it.contains(value)) {
            wrong(format!("{value} is not one of {}", schema["enum"]));
        }
        if schema["minimum"].as_i64().is_some_and(|least| value.as_i64().is_some_and(|it| it < least)) {
            wrong(format!("{value} is too small"));
        }
        if let Some(format) = schema["format"].as_str() {
            let text = value.as_str().unwrap_or_default();
            if !is_of_format(format, text) {
                wrong(format!("`{text}` is no {format}"));
            }
        }
        self.members(schema, value, path);
        if let Some(name) = schema["$ref"].as_str() {
            let name = name.strip_prefix("#/$defs/").expect("a reference to a definition");
            let definition = &self.root["$defs"][name];
            assert!(definition.is_object(), "the schema has no definition {name}");
            self.check(&definition.clone(), value, path);
        }
        if let Some(ways) = schema["anyOf"].as_array() {
            let all: Vec<Vec<String>> = ways.iter().map(|it| self.alone(it, value, path)).collect();
            if !all.iter().any(Vec::is_empty) {
                self.found.extend(all.into_iter().flatten());
            }
        }
    }

    fn alone(&self, schema: &Value, value: &Value, path: &str) -> Vec<String> {
        let mut found = vec![];
        Checker { root: self.root, found: &mut found }.check(schema, value, path);
        found
    }

    fn members(&mut self, schema: &Value, value: &Value, path: &str) {
        if let Some(object) = value.as_object() {
            for name in schema["required"].as_array().into_iter().flatten() {
                let name = name.as_str().expect("a name");
                if !object.contains_key(name) {
                    self.found.push(format!("{path}: it has no {name}"));
                }
            }
            for (name, member) in object {
                let path = format!("{path}/{name}");
                match (schema["properties"].get(name), schema.get("additionalProperties")) {
                    (Some(schema), _) => self.check(schema, member, &path),
                    (None, Some(Value::Bool(false))) => self.found.push(format!("{path}: it is not known")),
                    (None, Some(schema @ Value::Object(_))) => self.check(schema, member, &path),
                    _ => {}
                }
            }
        }
        if let Some(items) = value.as_array() {
            if schema["minItems"].as_u64().is_some_and(|least| (items.len() as u64) < least) {
                self.found.push(format!("{path}: it has too few items"));
            }
            if let Some(schema) = schema.get("items") {
                for (at, item) in items.iter().enumerate() {
                    self.check(schema, item, &format!("{path}/{at}"));
                }
            }
        }
    }
}

fn is_of_format(format: &str, text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let shape = |pattern: &str| {
        text.len() == pattern.len()
            && text.chars().zip(pattern.chars()).all(|(it, pattern)| match pattern {
                '0' => it.is_ascii_digit(),
                'x' => it.is_ascii_digit() || ('a'..='f').contains(&it),
                other => it == other,
            })
    };
    match format {
        // The texts of YAML are not told apart from its numbers.
        "number" => digits(text),
        "positive" => digits(text) && text != "0",
        "sha-256" => shape(&"x".repeat(64)),
        "uuid" => shape("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"),
        "time" => shape("0000-00-00T00:00:00Z"),
        "text" => !text.is_empty(),
        "uri-reference" => {
            let plain = |it: u8| it.is_ascii_alphanumeric() || b"/-._~:%#".contains(&it);
            !text.is_empty() && text.bytes().all(plain)
        }
        other => panic!("the schema has the format {other}"),
    }
}

#[test]
fn what_is_wrong_is_told_with_its_path() {
    let schema = serde_json::json!({
        "type": "object", "required": ["a"], "additionalProperties": false,
        "properties": { "a": { "type": "array", "minItems": 2, "items": { "$ref": "#/$defs/n" } } },
        "$defs": { "n": { "anyOf": [{ "const": 1 }, { "type": "string", "format": "positive" }] } },
    });
    assert_eq!(problems(&schema, &serde_json::json!({ "a": [1, "2"] })), [""; 0]);
    let found = problems(&schema, &serde_json::json!({ "a": ["0"], "b": 1 }));
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(found[0].starts_with("/a: it has too few") && found[3].starts_with("/b: "), "{found:?}");
}
