//! Finds the tokens of a preprocessed text in the user's own text. The preprocessor copies tokens, drops
//! comments and replaces uses of macros, whose arguments it may copy any number of times. So the two are
//! aligned like texts that are compared: as many tokens as possible are matched in their order, names and
//! numbers before punctuation; what the user's text does not hold comes from the use of a macro.

use std::collections::HashSet;
use std::ops::Range;

use super::scan::{Piece, PieceKind};

/// The most pairs of tokens that are compared to find the best alignment; of longer lines tokens are matched
/// as they come.
const MOST_PAIRS: usize = 1 << 20;

/// How far a token is looked for in long lines.
const NEAR: usize = 64;

/// How a line begins that stands for an annotation which is no assertion of C.
pub const REFUSED: &str = "#pragma selvedge annotation";

/// Whether a token stands for the beginning of an annotation.
pub fn is_annotation(text: &str) -> bool {
    text == "__selvedge_assert" || text == REFUSED
}

/// The tokens of some lines: of the user's text, and of the preprocessed one.
pub struct Sides<'a> {
    /// The user's tokens.
    pub own: Vec<Token<'a>>,
    /// The preprocessed ones.
    pub made: Vec<Token<'a>>,
}

/// A token with its spelling.
#[derive(Clone, Copy)]
pub struct Token<'a> {
    /// Where it stands.
    pub piece: Piece,
    /// Its spelling.
    pub text: &'a str,
}

impl Token<'_> {
    fn is_word(&self) -> bool {
        self.piece.kind != PieceKind::Sign
    }
}

/// A token of the user's that is no token of the preprocessed text: the name of a macro, with the arguments
/// that follow it.
struct Use {
    name: usize,
    arguments: Range<usize>,
}

/// For each preprocessed token, the number of the user's token that it is or comes from.
pub fn align(sides: &Sides<'_>) -> Vec<Option<usize>> {
    let uses = uses(sides);
    let matched = Matcher::new(sides, &uses).run();
    attribute(sides, &uses, &matched)
}

/// The uses of macros that are plain to see.
fn uses(sides: &Sides<'_>) -> Vec<Use> {
    let made: HashSet<&str> = sides.made.iter().map(|token| token.text).collect();
    let ends = ends(&sides.own);
    let is_name = |token: &Token<'_>| token.piece.kind == PieceKind::Name && !made.contains(token.text);
    let names = sides.own.iter().enumerate().filter(|(_, token)| is_name(token));
    let end = |name: usize| ends.get(name + 1).copied().flatten().unwrap_or(name + 1);
    names.map(|(name, _)| Use { name, arguments: name + 1..end(name) }).collect()
}

/// For each opening parenthesis, where what it opens ends.
fn ends(own: &[Token<'_>]) -> Vec<Option<usize>> {
    let mut ends = vec![None; own.len()];
    let mut open = vec![];
    for (at, token) in own.iter().enumerate() {
        match token.text {
            "(" => open.push(at),
            ")" => open.pop().into_iter().for_each(|begin| ends[begin] = Some(at + 1)),
            _ => {}
        }
    }
    open.into_iter().for_each(|begin| ends[begin] = Some(own.len()));
    ends
}

struct Matcher<'a> {
    sides: &'a Sides<'a>,
    /// The user's tokens that can be matched: not the parentheses around the arguments of macros, which
    /// others are taken for.
    is_open: Vec<bool>,
    matched: Vec<Option<usize>>,
}

impl<'a> Matcher<'a> {
    fn new(sides: &'a Sides<'a>, uses: &[Use]) -> Self {
        let mut is_open = vec![true; sides.own.len()];
        for Use { arguments, .. } in uses.iter().filter(|it| !it.arguments.is_empty()) {
            is_open[arguments.start] = false;
            is_open[arguments.end - 1] = false;
        }
        Matcher { sides, is_open, matched: vec![None; sides.made.len()] }
    }

    fn fits(&self, made: usize, own: usize) -> bool {
        let (one, other) = (&self.sides.made[made], &self.sides.own[own]);
        let note = other.piece.kind == PieceKind::Annotation;
        self.is_open[own] && if note { is_annotation(one.text) } else { one.text == other.text }
    }

    fn run(mut self) -> Vec<Option<usize>> {
        let (made, own) = (self.sides.made.len(), self.sides.own.len());
        let same = (0..made.min(own)).take_while(|&at| self.fits(at, at)).count();
        self.matched[..same].iter_mut().enumerate().for_each(|(at, place)| *place = Some(at));
        if (made - same).saturating_mul(own - same) <= MOST_PAIRS {
            self.best(same);
        } else {
            self.nearest(same);
        }
        self.matched
    }

    /// Matches what comes after the first tokens so that most is matched.
    fn best(&mut self, from: usize) {
        let (rows, columns) = (self.sides.made.len() - from, self.sides.own.len() - from);
        let width = columns + 1;
        // The weight of the best alignment of what begins at a pair of tokens.
        let mut weights = vec![0_u32; (rows + 1) * width];
        let gain = |it: &Self, row: usize| if it.sides.made[from + row].is_word() { 3 } else { 1 };
        for row in (0..rows).rev() {
            for column in (0..columns).rev() {
                let skipped = weights[(row + 1) * width + column].max(weights[row * width + column + 1]);
                let both = match self.fits(from + row, from + column) {
                    true => weights[(row + 1) * width + column + 1] + gain(self, row),
                    false => 0,
                };
                weights[row * width + column] = skipped.max(both);
            }
        }
        let (mut row, mut column) = (0, 0);
        while row < rows && column < columns {
            let weight = weights[row * width + column];
            let after = weights[(row + 1) * width + column + 1];
            if self.fits(from + row, from + column) && weight == after + gain(self, row) {
                self.matched[from + row] = Some(from + column);
                (row, column) = (row + 1, column + 1);
            } else if weight == weights[(row + 1) * width + column] {
                row += 1;
            } else {
                column += 1;
            }
        }
    }

    /// Matches each token with the next one like it that is near; signs, which are common, only in their
    /// turn.
    fn nearest(&mut self, from: usize) {
        let mut next = from;
        for made in from..self.sides.made.len() {
            let most = if self.sides.made[made].is_word() { NEAR } else { 1 };
            let end = (next + most).min(self.sides.own.len());
            if let Some(own) = (next..end).find(|&own| self.fits(made, own)) {
                self.matched[made] = Some(own);
                next = own + 1;
            }
        }
    }
}

/// What was not matched comes from a macro: the outermost one whose arguments are being gone through, else
/// the first one that is passed over, else the last one before.
fn attribute(sides: &Sides<'_>, uses: &[Use], matched: &[Option<usize>]) -> Vec<Option<usize>> {
    let around = around(sides.own.len(), uses);
    let before = before(&sides.own, uses);
    let mut is_matched = vec![false; sides.own.len()];
    matched.iter().flatten().for_each(|&own| is_matched[own] = true);
    let is_passed = |own: &usize| !is_matched[*own] && sides.own[*own].piece.kind == PieceKind::Name;
    let mut found = vec![None; matched.len()];
    let (mut begin, mut source) = (0, None);
    let mut is_known = false;
    for (at, place) in matched.iter().enumerate() {
        if let Some(own) = place {
            (begin, is_known) = (own + 1, false);
            found[at] = Some(*own);
            continue;
        }
        if !is_known {
            // Until the next token that was matched all have the same source.
            let next = matched[at..].iter().flatten().next().copied().unwrap_or(sides.own.len());
            let passed = || (begin..next).find(is_passed);
            source = around.get(begin).copied().flatten().or_else(passed).or(before[begin]);
            is_known = true;
        }
        found[at] = source;
    }
    found
}

/// For each of the user's tokens, the name of the outermost macro whose arguments it is among.
fn around(length: usize, uses: &[Use]) -> Vec<Option<usize>> {
    let mut around = vec![None; length];
    let mut done = 0;
    for Use { name, arguments } in uses {
        let new = arguments.start.max(done)..arguments.end.max(done);
        around[new.clone()].fill(Some(*name));
        done = new.end;
    }
    around
}

/// For each of the user's tokens, and the end, the last one before it that tokens may come from.
fn before(own: &[Token<'_>], uses: &[Use]) -> Vec<Option<usize>> {
    let mut is_source: Vec<bool> = own.iter().map(|it| it.piece.kind == PieceKind::Annotation).collect();
    uses.iter().for_each(|it| is_source[it.name] = true);
    let mut last = None;
    let mut before = vec![None];
    for (at, is_source) in is_source.into_iter().enumerate() {
        last = if is_source { Some(at) } else { last };
        before.push(last);
    }
    before
}
