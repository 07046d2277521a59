//! Assembler in functions: instructions that only order or delay accesses are followed, all others are
//! refused where they are reached.

use super::super::check::Operand;
use super::super::constructs::specifiers::INSTRUCTIONS;
use super::super::hir::{ExprId, StmtId, StmtKind};
use super::{Kind, Parsed, Parser};

impl Parser<'_> {
    /// `asm volatile ("…" : outputs : inputs : clobbers);`.
    pub fn asm_statement(&mut self) -> Parsed<StmtId> {
        let start = self.bump().span;
        while ["volatile", "inline", "goto", "const"].iter().any(|word| self.eat(word)) {}
        self.expect("(")?;
        let mut template = String::new();
        while self.token().kind == Kind::String {
            let token = self.bump();
            template.push_str(self.text_of(token).trim_matches('"'));
        }
        let mut empty = is_harmless(&template);
        let mut outputs = vec![];
        let mut inputs = vec![];
        let mut section = 0;
        while !self.at(")") {
            if self.at_end() {
                return Err(self.unexpected("`)`"));
            }
            if self.eat(":") {
                section += 1;
            } else if section >= 3 || !(self.at("[") || self.token().kind == Kind::String) {
                self.bump();
            } else {
                // An output that is not read gets a value that nobody knows, even from no instruction.
                empty &= self.asm_operand(section, &mut outputs, &mut inputs)?;
            }
        }
        self.expect(")")?;
        self.expect(";")?;
        let span = self.from(start);
        let outputs = outputs.into_iter().filter_map(|operand| match operand {
            Operand::Place(place) => Some(place),
            _ => None,
        });
        let outputs = outputs.collect();
        Ok(self.check.stmt(StmtKind::Asm { empty, inputs, outputs }, span))
    }

    fn asm_operand(
        &mut self,
        section: u32,
        outputs: &mut Vec<Operand>,
        inputs: &mut Vec<ExprId>,
    ) -> Parsed<bool> {
        if self.at("[") {
            self.skip_balanced()?;
        }
        let mut kept = section != 1;
        while self.token().kind == Kind::String {
            let token = self.bump();
            kept |= self.text_of(token).contains('+');
        }
        if !self.eat("(") {
            return Ok(kept);
        }
        let operand = self.expression()?;
        self.expect(")")?;
        if section == 1 {
            if let Operand::Place(place) = operand {
                self.check.take_address(place);
            }
            outputs.push(operand);
        } else {
            inputs.push(self.check.rvalue(operand));
        }
        Ok(kept)
    }
}

/// Whether the instructions of a template change nothing but the order of accesses, which is sequentially
/// consistent anyway.
fn is_harmless(template: &str) -> bool {
    let lines = template.replace("\\n", ";").replace("\\t", " ").replace("%%", "%");
    lines.split([';', '\n']).map(str::trim).all(|instruction| {
        let words: Vec<&str> = instruction.split_whitespace().collect();
        words.is_empty() || INSTRUCTIONS.contains(&words.join(" ").as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::is_harmless;

    #[test]
    fn instructions_are_known_by_name() {
        for template in ["", " ", "pause", "rep; nop", "nop\\n\\tnop", "mfence", "lfence;sfence"] {
            assert!(is_harmless(template), "{template}");
        }
        for template in ["movl $1, %0", "nop; movl $1, %0", "hlt", "pauses", "lock; addl $1, %0"] {
            assert!(!is_harmless(template), "{template}");
        }
    }
}
