//! Places in SARIF: URIs relative to the folder in which the command ran, lines and columns from 1.

use base::{SourceMap, Span};
use serde_json::{Value, json};
use std::path::{Component, Path, PathBuf};

/// The name of the folder that URIs are relative to.
pub const ROOT: &str = "SRCROOT";

/// The places of a report.
pub struct Places<'a> {
    /// The texts.
    pub sources: &'a SourceMap,
    /// The folder that URIs are relative to.
    pub root: &'a Path,
    /// The file that was asked about.
    pub name: &'a str,
    /// Its number among the artifacts.
    pub index: usize,
}

impl Places<'_> {
    /// The file that was asked about.
    pub fn file(&self) -> Value {
        json!({ "artifactLocation": self.artifact(self.name) })
    }

    /// Its text, if it could be read.
    pub fn text(&self) -> Option<&str> {
        self.sources.find(self.name).map(|id| self.sources.file(id).text())
    }

    /// A span of a text; none of a text that comes with the reader, which is no file.
    pub fn physical(&self, span: Span) -> Option<Value> {
        let file = self.sources.file(span.file);
        if file.is_library() {
            return None;
        }
        let (start, end) = (file.position(span.start), file.position(span.end.max(span.start)));
        let mut region = json!({ "startLine": start.line, "startColumn": start.column });
        if (end.line, end.column) > (start.line, start.column) {
            region["endLine"] = json!(end.line);
            region["endColumn"] = json!(end.column);
        }
        Some(json!({ "artifactLocation": self.artifact(file.name()), "region": region }))
    }

    /// A line of the file that was asked about.
    pub fn line(&self, line: u32) -> Value {
        json!({ "artifactLocation": self.artifact(self.name), "region": { "startLine": line } })
    }

    fn artifact(&self, name: &str) -> Value {
        let mut location = match relative(self.root, Path::new(name)) {
            Ok(path) => json!({ "uri": encoded(&path), "uriBaseId": ROOT }),
            Err(path) => json!({ "uri": format!("file://{}", encoded(&path.to_string_lossy())) }),
        };
        if name == self.name {
            location["index"] = json!(self.index);
        }
        location
    }

    /// The place of a span for a fingerprint: the same on every machine.
    pub fn fingerprint(&self, span: Option<Span>) -> String {
        let Some(span) = span else { return "?".to_string() };
        let file = self.sources.file(span.file);
        let name = match relative(self.root, Path::new(file.name())) {
            Ok(path) => path,
            Err(path) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        };
        let position = file.position(span.start);
        format!("{name}:{}:{}", position.line, position.column)
    }
}

/// The URI of a folder.
pub fn folder_uri(path: &Path) -> String {
    let text = encoded(&path.to_string_lossy());
    let end = if text.ends_with('/') { "" } else { "/" };
    format!("file://{text}{end}")
}

/// The path from a folder to a file in it, or the whole path of one that is elsewhere.
fn relative(root: &Path, path: &Path) -> Result<String, PathBuf> {
    let mut whole = PathBuf::new();
    for part in root.join(path).components() {
        match part {
            Component::ParentDir => {
                whole.pop();
            }
            Component::CurDir => {}
            part => whole.push(part),
        }
    }
    match whole.strip_prefix(root) {
        Ok(inside) => Ok(inside.to_string_lossy().into_owned()),
        Err(_) => Err(whole),
    }
}

/// A path in a URI: what is no plain letter is written as its bytes.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let one = |byte: u8| if plain(byte) { (byte as char).to_string() } else { format!("%{byte:02X}") };
    path.bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_relative_to_the_root_or_whole() {
        let places = |name: &str| {
            let sources = SourceMap::new();
            let places = Places { sources: &sources, root: Path::new("/a/b"), name, index: 3 };
            places.file()["artifactLocation"].to_string()
        };
        assert_eq!(places("x y.c"), r#"{"index":3,"uri":"x%20y.c","uriBaseId":"SRCROOT"}"#);
        assert_eq!(places("./d/../é.c"), r#"{"index":3,"uri":"%C3%A9.c","uriBaseId":"SRCROOT"}"#);
        assert_eq!(places("/a/b/c.c"), r#"{"index":3,"uri":"c.c","uriBaseId":"SRCROOT"}"#);
        assert_eq!(places("../c.c"), r#"{"index":3,"uri":"file:///a/c.c"}"#);
        assert_eq!(folder_uri(Path::new("/a b")), "file:///a%20b/");
        assert_eq!(folder_uri(Path::new("/")), "file:///");
    }
}
