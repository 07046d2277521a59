//! As much of YAML as witnesses are written in: lists and maps by indentation or in brackets, plain and
//! quoted texts, comments. Every plain text is a text, also where YAML has numbers. What is not known, such
//! as anchors, tags and texts of several lines, is refused.

use serde_json::{Map, Value};

/// Deeper than this nothing is nested: what reads it recurses.
const DEPTH: usize = 64;

/// Reads one document.
pub fn parse(text: &str) -> Result<Value, String> {
    let mut lines = vec![];
    for (number, line) in text.lines().enumerate() {
        let line = without_comment(line).trim_end();
        let bare = line.trim_start();
        if bare.is_empty() || bare == "---" || bare == "..." || bare.starts_with('%') {
            continue;
        }
        if line[..line.len() - bare.len()].contains('\t') {
            return Err(format!("line {}: it is indented by a tab", number + 1));
        }
        lines.push(Line { indent: line.len() - bare.len(), text: bare.to_string(), number: number + 1 });
    }
    let mut reader = Reader { lines, at: 0 };
    let value = reader.block(0)?;
    match reader.lines.get(reader.at) {
        None => Ok(value),
        Some(line) => Err(format!("line {}: it belongs to nothing", line.number)),
    }
}

/// A line without what is quoted being taken for a comment.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    for (at, letter) in line.char_indices() {
        match quote {
            Some('"') if before == '\\' && letter != '\\' => {}
            Some('"') if before == '\\' => {
                // A backslash that is quoted quotes nothing.
                before = ' ';
                continue;
            }
            Some(open) if letter == open => quote = None,
            Some(_) => {}
            None if letter == '#' && before.is_whitespace() => return &line[..at],
            // Two single quotes inside of a text are one, so that it goes on.
            None if "\"'".contains(letter)
                && (before.is_whitespace() || before == letter || "[{,:-".contains(before)) =>
            {
                quote = Some(letter);
            }
            None => {}
        }
        before = letter;
    }
    line
}

struct Line {
    indent: usize,
    text: String,
    number: usize,
}

struct Reader {
    lines: Vec<Line>,
    at: usize,
}

impl Reader {
    /// The value that begins at the current line.
    fn block(&mut self, depth: usize) -> Result<Value, String> {
        let Some(line) = self.lines.get(self.at) else { return Ok(Value::Null) };
        if depth > DEPTH {
            return Err(format!("line {}: it is nested too deeply", line.number));
        }
        let indent = line.indent;
        if is_item(&line.text) {
            return self.list(indent, depth);
        }
        if key(&line.text).is_some() {
            return self.map(indent, depth);
        }
        let (text, number) = (line.text.clone(), line.number);
        self.at += 1;
        self.value(&text, number)
    }

    fn list(&mut self, indent: usize, depth: usize) -> Result<Value, String> {
        let mut items = vec![];
        while let Some(line) =
            self.lines.get_mut(self.at).filter(|it| it.indent == indent && is_item(&it.text))
        {
            let rest = line.text[1..].trim_start().to_string();
            if rest.is_empty() {
                self.at += 1;
                items.push(self.inner(indent, depth)?);
                continue;
            }
            // What follows the dash is a block of its own, as far to the right as it stands.
            line.indent += line.text.len() - rest.len();
            line.text = rest;
            items.push(self.block(depth + 1)?);
        }
        Ok(Value::Array(items))
    }

    fn map(&mut self, indent: usize, depth: usize) -> Result<Value, String> {
        let mut map = Map::new();
        while let Some(line) = self.lines.get(self.at).filter(|it| it.indent == indent) {
            let number = line.number;
            let Some((name, rest)) = key(&line.text) else { break };
            let rest = rest.to_string();
            self.at += 1;
            let value = match rest.is_empty() {
                false => self.value(&rest, number)?,
                true => match self.lines.get(self.at) {
                    // The items of a list may stand as far to the left as its name.
                    Some(next) if next.indent == indent && is_item(&next.text) => {
                        self.list(indent, depth + 1)?
                    }
                    _ => self.inner(indent, depth)?,
                },
            };
            if map.insert(name.clone(), value).is_some() {
                return Err(format!("line {number}: there are two `{name}`"));
            }
        }
        Ok(Value::Object(map))
    }

    /// A block that stands further to the right, or nothing.
    fn inner(&mut self, indent: usize, depth: usize) -> Result<Value, String> {
        match self.lines.get(self.at) {
            Some(next) if next.indent > indent => self.block(depth + 1),
            _ => Ok(Value::Null),
        }
    }

    /// A value that begins in a line; one in brackets goes on until they are closed.
    fn value(&mut self, first: &str, number: usize) -> Result<Value, String> {
        let mut text = first.to_string();
        let wrong = |why: &str| format!("line {number}: {why}");
        if !text.starts_with(['[', '{']) {
            return scalar(&text).map_err(|why| wrong(&why));
        }
        loop {
            match (Flow { text: &text, depth: 0 }).whole() {
                Ok(value) => return Ok(value),
                Err(Some(why)) => return Err(wrong(&why)),
                Err(None) => {
                    let Some(next) = self.lines.get(self.at) else { return Err(wrong("a bracket is open")) };
                    text.push(' ');
                    text.push_str(&next.text);
                    self.at += 1;
                }
            }
        }
    }
}

fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// The name at the beginning of a line of a map, and what follows it.
fn key(text: &str) -> Option<(String, &str)> {
    if text.starts_with(['[', '{']) {
        return None;
    }
    if text.starts_with(['"', '\'']) {
        let end = end_of_quotes(text)?;
        let rest = text[end..].trim_start().strip_prefix(':')?;
        return Some((unquoted(&text[..end]).ok()?, rest.trim_start()));
    }
    let at = text
        .match_indices(':')
        .map(|it| it.0)
        .find(|&at| text[at + 1..].is_empty() || text[at + 1..].starts_with(' '))?;
    Some((text[..at].trim_end().to_string(), text[at + 1..].trim_start()))
}

/// The byte after a quoted text.
fn end_of_quotes(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let quote = *bytes.first()?;
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if quote == b'"' => at += 2,
            _ if byte == quote && quote == b'\'' && bytes.get(at + 1) == Some(&quote) => at += 2,
            _ if byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

fn unquoted(text: &str) -> Result<String, String> {
    let inner = &text[1..text.len() - 1];
    if text.starts_with('\'') {
        return Ok(inner.replace("''", "'"));
    }
    // The escapes of JSON are some of those of YAML.
    serde_json::from_str(text).map_err(|_| format!("{text} has an escape that is not known"))
}

fn scalar(text: &str) -> Result<Value, String> {
    if text.starts_with(['"', '\'']) {
        return match end_of_quotes(text) {
            Some(end) if end == text.len() => Ok(Value::String(unquoted(text)?)),
            _ => Err("a quoted text does not end in its line".to_string()),
        };
    }
    if text.starts_with(['|', '>', '&', '*', '!', '?']) {
        return Err(format!("`{text}` is more YAML than witnesses have"));
    }
    Ok(match text {
        "~" | "null" => Value::Null,
        _ => Value::String(text.to_string()),
    })
}

/// A value in brackets.
struct Flow<'t> {
    text: &'t str,
    depth: usize,
}

/// What is wrong; nothing, if there is only too little of it.
type Unfinished = Option<String>;

impl Flow<'_> {
    fn whole(mut self) -> Result<Value, Unfinished> {
        let value = self.value()?;
        match self.text.trim_start() {
            "" => Ok(value),
            rest => Err(Some(format!("`{rest}` follows what is in brackets"))),
        }
    }

    fn value(&mut self) -> Result<Value, Unfinished> {
        self.text = self.text.trim_start();
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Some("it is nested too deeply".to_string()));
        }
        let value = match self.text.chars().next().ok_or(None)? {
            '[' => self.list()?,
            '{' => self.map()?,
            _ => Value::String(self.word()?),
        };
        self.depth -= 1;
        Ok(value)
    }

    /// A quoted text, or a plain one up to what ends it.
    fn word(&mut self) -> Result<String, Unfinished> {
        self.text = self.text.trim_start();
        let quoted = self.text.starts_with(['"', '\'']);
        let end = match quoted {
            true => end_of_quotes(self.text).ok_or(None)?,
            false => self.text.find([',', ']', '}', ':']).ok_or(None)?,
        };
        let (word, rest) = self.text.split_at(end);
        self.text = rest;
        if quoted { unquoted(word).map_err(Some) } else { Ok(word.trim_end().to_string()) }
    }

    fn list(&mut self) -> Result<Value, Unfinished> {
        let mut items = vec![];
        self.text = &self.text[1..];
        while !self.closes(']')? {
            items.push(self.value()?);
            self.comma(']')?;
        }
        Ok(Value::Array(items))
    }

    fn map(&mut self) -> Result<Value, Unfinished> {
        let mut map = Map::new();
        self.text = &self.text[1..];
        while !self.closes('}')? {
            let name = self.word()?;
            self.text = self.text.trim_start();
            let after = self.text.strip_prefix(':').ok_or(Some(format!("`{name}` has no value")))?;
            self.text = after;
            let value = self.value()?;
            map.insert(name, value);
            self.comma('}')?;
        }
        Ok(Value::Object(map))
    }

    fn closes(&mut self, bracket: char) -> Result<bool, Unfinished> {
        self.text = self.text.trim_start();
        if self.text.is_empty() {
            return Err(None);
        }
        Ok(self.text.strip_prefix(bracket).map(|rest| self.text = rest).is_some())
    }

    fn comma(&mut self, bracket: char) -> Result<(), Unfinished> {
        self.text = self.text.trim_start();
        match self.text.chars().next() {
            Some(',') => {
                self.text = &self.text[1..];
                Ok(())
            }
            Some(it) if it == bracket => Ok(()),
            Some(it) => Err(Some(format!("`{it}` is no comma"))),
            None => Err(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_and_maps_are_read_as_they_are_indented() {
        let text = "# a witness\n---\n- a: 1\n  \"b c\": 'it''s # none' # one\n  d:\n  - e: \"x\\n\"\n    f:\n      - g\n\
                    - h: {i: [1, \"2, 3\"], j:\n     k}\n-\n  l:\n  m: ~\n";
        let expected = json!([
            { "a": "1", "b c": "it's # none", "d": [{ "e": "x\n", "f": ["g"] }] },
            { "h": { "i": ["1", "2, 3"], "j": "k" } },
            { "l": null, "m": null },
        ]);
        assert_eq!(parse(text), Ok(expected));
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let deep = format!("a: {}", "[".repeat(1000));
        let steep: String = (0..100).map(|at| format!("{}a:\n", " ".repeat(at))).collect();
        for text in
            ["a: |\n  b", "a: &b c", "a: \"b", "a: [b", "a: 1\na: 2", "a: 1\n  b", "\ta: 1", &deep, &steep]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
