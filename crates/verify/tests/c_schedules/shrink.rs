//! Makes a program smaller that shows something: lines and blocks go, blocks lose their braces, as long as it
//! still shows it.

use testing::c::Twin;

/// The smallest program that is found so.
pub fn shrink(twin: &Twin, mut shows: impl FnMut(&Twin) -> bool) -> Twin {
    let mut best = twin.clone();
    loop {
        let before = best.lines.len();
        let mut at = best.lines.len();
        while at > 0 {
            at -= 1;
            for lines in smaller(&best.lines, at) {
                let candidate = Twin { lines, names: best.names.clone() };
                if shows(&candidate) {
                    best = candidate;
                    break;
                }
            }
            at = at.min(best.lines.len());
        }
        if best.lines.len() == before {
            return best;
        }
    }
}

/// The programs without the line, or without the block or the braces that it opens.
fn smaller(lines: &[String], at: usize) -> Vec<Vec<String>> {
    let line = lines[at].trim();
    // What one of the two texts has and the other has not makes no difference that counts.
    if line.starts_with('}') || line.starts_with("«? ¦") {
        return vec![];
    }
    let without = |gone: &[usize]| -> Vec<String> {
        let kept = lines.iter().enumerate().filter(|(at, _)| !gone.contains(at));
        kept.map(|(_, line)| line.clone()).collect()
    };
    if !opens(line) {
        return vec![without(&[at])];
    }
    let Some(end) = block_end(lines, at) else { return vec![] };
    let all: Vec<usize> = (at..=end).collect();
    let mut braces = vec![at, end];
    let mut depth = 0;
    for (inner, line) in lines.iter().enumerate().take(end).skip(at + 1) {
        let line = line.trim();
        if depth == 0 && line.starts_with('}') {
            braces.push(inner);
        }
        depth += i32::from(opens(line)) - i32::from(line.starts_with('}'));
    }
    vec![without(&all), without(&braces)]
}

fn opens(line: &str) -> bool {
    line.ends_with('{') || (line.contains('{') && !line.contains('}'))
}

fn block_end(lines: &[String], at: usize) -> Option<usize> {
    let mut depth = 0;
    for (inner, line) in lines.iter().enumerate().skip(at) {
        let line = line.trim();
        depth += i32::from(opens(line)) - i32::from(line.starts_with('}'));
        if depth == 0 && inner > at {
            return Some(inner);
        }
    }
    None
}
