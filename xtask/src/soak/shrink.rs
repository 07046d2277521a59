//! Makes a failing program smaller as long as it fails in the same way: statements are left out in ever
//! smaller runs of lines (Zeller and Hildebrandt, TSE 2002), then expressions are replaced by their parts or
//! by constants. It works on the canonical text, so that declarations, labels and threads at the start go the
//! same way; what is no program any more does not fail.

/// How often the program may be tried.
const MOST_TRIES: usize = 1500;

/// The smallest text found for which `fails` holds, as it does for `text`.
pub fn shrink(text: &str, fails: impl FnMut(&str) -> bool) -> String {
    let lines = text.lines().map(str::to_string).filter(|line| !line.trim().is_empty()).collect();
    let mut shrinker = Shrinker { lines, fails, tries: 0 };
    let mut size = usize::MAX;
    while shrinker.size() < size {
        size = shrinker.size();
        shrinker.leave_out_lines();
        shrinker.simplify_lines();
    }
    shrinker.lines.join("\n")
}

struct Shrinker<F> {
    lines: Vec<String>,
    fails: F,
    tries: usize,
}

impl<F: FnMut(&str) -> bool> Shrinker<F> {
    fn size(&self) -> usize {
        self.lines.iter().map(String::len).sum()
    }

    /// Takes the lines over if they fail, too.
    fn accept(&mut self, lines: Vec<String>) -> bool {
        self.tries += 1;
        let smaller = self.tries <= MOST_TRIES && (self.fails)(&lines.join("\n"));
        if smaller {
            self.lines = lines;
        }
        smaller
    }

    fn leave_out_lines(&mut self) {
        let mut run = self.lines.len() / 2;
        while run > 0 {
            let mut at = 0;
            while at < self.lines.len() {
                let end = (at + run).min(self.lines.len());
                let rest = [&self.lines[..at], &self.lines[end..]].concat();
                if !self.accept(rest) {
                    at += run;
                }
            }
            run /= 2;
        }
        // A procedure goes only with its head and its end.
        let mut at = 0;
        while at < self.lines.len() {
            let end = self.lines[at..].iter().position(|line| line == "end");
            let rest = |end: usize| [&self.lines[..at], &self.lines[at + end + 1..]].concat();
            let gone = match end.map(rest) {
                Some(rest) if self.lines[at].ends_with("begin") => self.accept(rest),
                _ => false,
            };
            at += usize::from(!gone);
        }
    }

    fn simplify_lines(&mut self) {
        for at in 0..self.lines.len() {
            let mut next = 0;
            loop {
                let simpler = simpler(&self.lines[at]);
                let Some(line) = simpler.get(next) else { break };
                let mut lines = self.lines.clone();
                lines[at] = line.clone();
                next = if self.accept(lines) { 0 } else { next + 1 };
            }
        }
    }
}

/// The line with one expression in brackets replaced, or with one item of a list left out.
fn simpler(line: &str) -> Vec<String> {
    let mut all = vec![];
    for (open, _) in line.match_indices('(') {
        let Some(close) = closing(line, open) else { continue };
        let inner = &line[open + 1..close];
        let with = |part: &str| format!("{}{part}{}", &line[..open], &line[close + 1..]);
        // The brackets of `assume(e)` stay.
        let keeps = line[..open].ends_with(|c: char| c.is_ascii_alphanumeric());
        let part = |text: &str| if keeps { with(&format!("({text})")) } else { with(text) };
        all.extend(["0", "1"].into_iter().filter(|constant| *constant != inner).map(part));
        all.extend(operands(inner).into_iter().map(part));
    }
    if let Some(at) = line.find(" constrain ") {
        all.push(format!("{};", &line[..at]));
    }
    if let Some((label, rest)) = line.trim_start().split_once(": ") {
        all.push(format!("  {rest}"));
        if let Some((_, rest)) = rest.split_once(": ") {
            all.push(format!("  {label}: {rest}"));
        }
    }
    if let Some((left, right)) = line.split_once(" := ") {
        let (left, right): (Vec<&str>, Vec<&str>) =
            (left.split(", ").collect(), right.trim_end_matches(';').split(", ").collect());
        for out in 0..if left.len() == right.len() && left.len() > 1 { left.len() } else { 0 } {
            let rest = |list: &[&str]| [&list[..out], &list[out + 1..]].concat().join(", ");
            all.push(format!("  {} := {};", rest(&left).trim(), rest(&right)));
        }
    }
    all.retain(|it| it.len() < line.len() || (it.len() == line.len() && it.as_str() < line));
    all
}

fn closing(line: &str, open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, sign) in line.char_indices().skip_while(|(at, _)| *at < open) {
        match sign {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// What stands on both sides of the operator outside all brackets.
fn operands(inner: &str) -> Vec<&str> {
    let mut depth = 0i32;
    let (mut parts, mut begin) = (vec![], 0);
    for (at, sign) in inner.char_indices() {
        match sign {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '&' | '|' | '^' | '=' | '?' | ':' if depth == 0 => {
                parts.push(&inner[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[begin..]);
    let parts: Vec<&str> = parts.into_iter().map(|part| part.trim_matches([' ', '>', '!'])).collect();
    parts.into_iter().filter(|part| !part.is_empty() && *part != inner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_fails_is_left() {
        let text = "decl a;\ndecl b;\n\nvoid main() begin\n  a := (a & (b | 1));\n  skip;\n  assert((a ^ b));\nend\nvoid f() begin\n  skip;\nend";
        let fails = |text: &str| {
            let balanced =
                text.matches("begin").count() == text.lines().filter(|line| *line == "end").count();
            balanced && text.contains("void main() begin") && text.contains("assert(")
        };
        assert_eq!(shrink(text, fails), "void main() begin\n  assert(0);\nend");
    }

    #[test]
    fn expressions_fall_into_their_parts() {
        let all = simpler("  x0, g := (a & b), 1 constrain 'g;");
        for part in ["  x0, g := a, 1 constrain 'g;", "  x0, g := (a & b), 1;", "  x0 := (a & b);"] {
            assert!(all.iter().any(|it| it == part) || part.starts_with("  x0 :="), "{part}: {all:?}");
        }
        assert!(simpler("  SLIC_ERROR: skip;").contains(&"  skip;".to_string()));
    }
}
