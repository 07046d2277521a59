//! The frame of the page: its style, its script and its data in one file that fetches nothing. A browser runs
//! this script and no other, by its digest, and loads nothing from anywhere. The data is JSON in which no
//! character has a meaning for HTML.

use super::digest::policy;
use super::places::clean;
use crate::escape::escape;
use serde_json::Value;

const STYLE: &str =
    concat!(include_str!("style/base.css"), include_str!("style/run.css"), include_str!("style/proof.css"));

/// The script: one function, so that its parts share names with nobody else.
const SCRIPT: &str = concat!(
    "\"use strict\";(() => {\n",
    include_str!("script/dom.js"),
    include_str!("script/code.js"),
    include_str!("script/states.js"),
    include_str!("script/source.js"),
    include_str!("script/lanes.js"),
    include_str!("script/minimap.js"),
    include_str!("script/values.js"),
    include_str!("script/memory.js"),
    include_str!("script/failure.js"),
    include_str!("script/run.js"),
    include_str!("script/proof.js"),
    include_str!("script/about.js"),
    include_str!("script/main.js"),
    "})();\n"
);

/// The page of some data. `title` is its name, `plain` what is shown where no script runs.
pub fn write(title: &str, plain: &str, data: Value) -> String {
    let allowed = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
        policy(SCRIPT),
        policy(STYLE)
    );
    let plain: Vec<String> = plain.lines().map(|line| escape(&clean(line))).collect();
    let (title, plain, data) = (escape(&clean(title)), plain.join("\n"), harmless(data));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{allowed}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <noscript><main><h1>{title}</h1><p>This page shows more where scripts may run.</p>\
         <pre>{plain}</pre></main></noscript>\n\
         <div id=\"page\"></div>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script>{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

/// JSON that ends no script element and begins no comment: what HTML could take for its own is written with
/// its number. All texts are sanitised.
fn harmless(mut data: Value) -> String {
    clean_all(&mut data);
    let mut out = String::new();
    for c in data.to_string().chars() {
        match c {
            '<' | '>' | '&' | '\'' | '`' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out
}

/// Sanitises all texts of a value. It is as deep as the types that it was made from.
fn clean_all(value: &mut Value) {
    match value {
        Value::String(text) => *text = clean(text),
        Value::Array(all) => all.iter_mut().for_each(clean_all),
        Value::Object(all) => all.values_mut().for_each(clean_all),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn no_text_is_markup() {
        let text = "</script><!--<script>]]>&'\"`\u{202e}\u{2028}\u{1b}[2J";
        let page = write(text, text, json!({ "name": text, "list": [text] }));
        assert_eq!(page.matches("<script").count(), 2, "the data and the script");
        assert_eq!(page.matches("</script").count(), 2);
        assert!(!page.contains("<!--") && !page.contains("]]>") && !page.contains('\u{202e}'));
        let begin = page.find("id=\"data\">").expect("the data") + "id=\"data\">".len();
        let data = page[begin..].split("</script>").next().expect("its end");
        let read: Value = serde_json::from_str(data).expect("it is JSON");
        assert_eq!(read["name"], "</script><!--<script>]]>&'\"`\u{fffd}\u{fffd}\u{fffd}[2J");
        assert_eq!(read["list"][0], read["name"]);
    }

    #[test]
    fn the_script_and_the_style_end_where_they_end() {
        for text in [SCRIPT, STYLE] {
            let lower = text.to_lowercase();
            assert!(!lower.contains("</script") && !lower.contains("<!--") && !lower.contains("</style"));
        }
    }

    #[test]
    fn the_page_asks_for_nothing() {
        let page = write("a", "b", json!({}));
        // What is named by `#` is in the page itself.
        let page = page.replace("http://www.w3.org/2000/svg", "").replace("url(#", "");
        for word in ["src=", "href=", "@import", "url(", "fetch(", "XMLHttpRequest", "http://", "https://"] {
            assert!(!page.contains(word), "{word}");
        }
        assert!(page.contains("default-src 'none'; script-src 'sha256-"));
    }
}
