//! Assembler in functions: instructions that only order or delay accesses are followed, all others are
//! refused where they are reached.

use super::super::check::Operand;
use super::super::constructs::specifiers::INSTRUCTIONS;
use super::super::hir::{StmtId, StmtKind};
use super::locked::AsmOperand;
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
        let operands = self.asm_operands()?;
        self.expect(")")?;
        self.expect(";")?;
        let span = self.from(start);
        if let Some(statement) = self.locked_statement(&template, &operands, span) {
            return Ok(statement);
        }
        // An output that is not read gets a value that nobody knows, even from no instruction.
        let empty =
            is_harmless(&template) && operands.iter().all(|it| !it.output || it.constraint.contains('+'));
        let (mut inputs, mut outputs) = (vec![], vec![]);
        for operand in operands {
            match operand.value {
                Operand::Place(place) if operand.output => {
                    self.check.take_address(place);
                    outputs.push(place);
                }
                _ if operand.output => {}
                value => inputs.push(self.check.rvalue(value)),
            }
        }
        Ok(self.check.stmt(StmtKind::Asm { empty, inputs, outputs }, span))
    }

    /// Outputs, inputs, and what comes after them, which says nothing that is not taken for granted.
    fn asm_operands(&mut self) -> Parsed<Vec<AsmOperand>> {
        let mut operands = vec![];
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
                operands.extend(self.asm_operand(section == 1)?);
            }
        }
        Ok(operands)
    }

    fn asm_operand(&mut self, output: bool) -> Parsed<Option<AsmOperand>> {
        let mut name = None;
        if self.at("[") {
            self.bump();
            let token = self.bump();
            name = Some(self.text_of(token).to_string());
            self.expect("]")?;
        }
        let mut constraint = String::new();
        while self.token().kind == Kind::String {
            let token = self.bump();
            constraint.push_str(self.text_of(token).trim_matches('"'));
        }
        if !self.eat("(") {
            return Ok(None);
        }
        let value = self.expression()?;
        self.expect(")")?;
        Ok(Some(AsmOperand { name, constraint, value, output }))
    }
}

/// Whether the instructions of a template change nothing but the order of accesses, which is sequentially
/// consistent anyway.
fn is_harmless(template: &str) -> bool {
    instructions(template).iter().all(|it| INSTRUCTIONS.contains(&it.as_str()) || is_stack_fence(it))
}

/// The instructions of a template, with single spaces between their words; `lock` stands with the next one.
pub(super) fn instructions(template: &str) -> Vec<String> {
    let lines = template.replace("\\n", ";").replace("\\t", " ").replace("%%", "%");
    let mut found = vec![];
    let mut prefix = String::new();
    for line in lines.split([';', '\n']) {
        let words = line.replace(',', ", ");
        let words: Vec<&str> = words.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            ["lock"] => prefix = "lock ".into(),
            words => found.push(std::mem::take(&mut prefix) + &words.join(" ")),
        }
    }
    found
}

/// Adding nothing to what lies on the stack, as a fence.
fn is_stack_fence(instruction: &str) -> bool {
    let adds = ["addl $0, ", "addq $0, ", "orl $0, ", "orq $0, ", "addb $0, "];
    let operands = instruction.strip_prefix("lock ").and_then(|rest| {
        adds.iter()
            .find_map(|add| rest.strip_prefix(add))
            .map(|operand| operand.trim_start_matches(['-', '0', '1', '2', '8', '4']))
    });
    matches!(operands, Some("(%rsp)" | "(%esp)"))
}

#[cfg(test)]
mod tests {
    use super::is_harmless;

    #[test]
    fn instructions_are_known_by_name() {
        for template in [
            "",
            " ",
            "pause",
            "rep; nop",
            "nop\\n\\tnop",
            "mfence",
            "lfence;sfence",
            "lock; addl $0,0(%%rsp)",
            "lock addq $0, (%rsp)",
        ] {
            assert!(is_harmless(template), "{template}");
        }
        for template in [
            "movl $1, %0",
            "nop; movl $1, %0",
            "hlt",
            "pauses",
            "lock; addl $1, %0",
            "addl $0, 0(%rsp)",
            "lock; addl $0, %0",
            "lock; addl $4, 0(%rsp)",
        ] {
            assert!(!is_harmless(template), "{template}");
        }
    }
}
