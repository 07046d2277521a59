//! Assembler that is one atomic instruction of x86: `xchg`, `lock cmpxchg`, `lock xadd`. It becomes the
//! built-in function that does the same, if the operands say where everything comes from and goes to.

use base::Span;

use super::super::check::Operand;
use super::super::hir::{StmtId, StmtKind};
use super::Parser;
use super::assembler::instructions;

/// An operand of an assembler statement.
#[derive(Clone, Debug)]
pub(super) struct AsmOperand {
    /// `[name]`.
    pub name: Option<String>,
    /// What the compiler may put it into.
    pub constraint: String,
    /// The operand.
    pub value: Operand,
    /// Whether it is written.
    pub output: bool,
}

/// The instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Locked {
    Exchange,
    CompareExchange,
    Add,
}

/// An operand as the template names it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Named {
    /// Its number or name.
    name: String,
    /// Whether it is the address of what is meant.
    address: bool,
}

/// An instruction with its operands, and the bytes that its suffix says.
type Instruction = (Locked, Named, Named, Option<u64>);

impl Parser<'_> {
    /// The statement as an atomic operation, if it is one that is known.
    pub(super) fn locked_statement(
        &mut self,
        template: &str,
        operands: &[AsmOperand],
        span: Span,
    ) -> Option<StmtId> {
        let [instruction] = &instructions(template)[..] else { return None };
        let (what, first, second, bytes) = parse(instruction)?;
        let find = |named: &Named| {
            let number = named.name.parse::<usize>().ok().filter(|&it| it < operands.len());
            number.or_else(|| operands.iter().position(|it| it.name.as_deref() == Some(&named.name)))
        };
        let places = [(first.address, find(&first)?), (second.address, find(&second)?)];
        let is_memory = |(address, at): (bool, usize)| address || operands[at].constraint.contains('m');
        // The operands of an exchange may stand either way.
        let (register, memory) = match what {
            Locked::Exchange if is_memory(places[0]) => (places[1], places[0]),
            _ => (places[0], places[1]),
        };
        if !is_memory(memory) || is_memory(register) {
            return None;
        }
        let result = match what {
            Locked::CompareExchange => {
                operands.iter().position(|it| it.constraint.contains('a') && it.output)
            }
            _ => Some(register.1).filter(|&at| operands[at].output),
        };
        let known = |at: usize| Some(at) == result || at == memory.1;
        if operands.iter().enumerate().any(|(at, it)| it.output && !known(at)) {
            return None;
        }
        let given = given(operands, register.1)?;
        let object = if memory.0 {
            self.check.deref(operands[memory.1].value, span)
        } else {
            operands[memory.1].value
        };
        let ty = self.check.operand_type(object).ty;
        let size = self.check.program.types.size(ty)?;
        if bytes.is_some_and(|bytes| bytes != size) {
            return None;
        }
        let address = self.check.address_of(object, span);
        let (name, arguments) = match what {
            Locked::Exchange => ("__sync_lock_test_and_set", vec![address, given]),
            Locked::Add => ("__sync_fetch_and_add", vec![address, given]),
            Locked::CompareExchange => {
                let expected = match result {
                    Some(at) => self::given(operands, at)?,
                    None => operands.iter().find(|it| it.constraint.contains('a'))?.value,
                };
                ("__sync_val_compare_and_swap", vec![address, expected, given])
            }
        };
        let mut value = self.check.atomic(name, &arguments, span)?;
        if let Some(at) = result {
            value = self.check.assign(operands[at].value, value, span);
        }
        let value = self.check.rvalue(value);
        Some(self.check.stmt(StmtKind::Expr(value), span))
    }
}

/// The value that an operand has before the instruction.
fn given(operands: &[AsmOperand], at: usize) -> Option<Operand> {
    let operand = &operands[at];
    if !operand.output || operand.constraint.contains('+') {
        return Some(operand.value);
    }
    let same = |it: &&AsmOperand| {
        let own = operand.constraint.trim_start_matches(['=', '&']);
        let names = [at.to_string(), format!("[{}]", operand.name.as_deref().unwrap_or_default())];
        // `a` is one register; `r` may be any.
        !it.output && (names.contains(&it.constraint) || own == "a" && it.constraint == own)
    };
    operands.iter().find(same).map(|it| it.value)
}

fn parse(instruction: &str) -> Option<Instruction> {
    let (locked, rest) = match instruction.strip_prefix("lock ") {
        Some(rest) => (true, rest),
        None => (false, instruction),
    };
    let (word, operands) = rest.split_once(' ')?;
    let (what, suffix) =
        [("cmpxchg", Locked::CompareExchange), ("xchg", Locked::Exchange), ("xadd", Locked::Add)]
            .iter()
            .find_map(|(name, what)| Some((*what, word.strip_prefix(name)?)))?;
    let bytes = match suffix {
        "" => None,
        "b" => Some(1),
        "w" => Some(2),
        "l" => Some(4),
        "q" => Some(8),
        _ => return None,
    };
    // An exchange with memory is locked by itself.
    if !locked && what != Locked::Exchange {
        return None;
    }
    let (first, second) = operands.split_once(", ")?;
    Some((what, named(first)?, named(second)?, bytes))
}

/// `%0`, `%q0`, `%[name]`, `(%0)`.
fn named(text: &str) -> Option<Named> {
    let inner = text.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
    let name = inner.unwrap_or(text).strip_prefix('%')?;
    let name = match name.strip_prefix(['b', 'w', 'k', 'q']) {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit() || c == '[') => rest,
        _ => name,
    };
    let bare = name.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    if bare.is_none() && !name.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    Some(Named { name: bare.unwrap_or(name).to_string(), address: inner.is_some() })
}

#[cfg(test)]
mod tests {
    use super::super::assembler::instructions;
    use super::{Locked, parse};

    #[test]
    fn atomic_instructions_are_known_with_their_operands() {
        let read = |template: &str| {
            let [instruction] = &instructions(template)[..] else { return None };
            let (what, first, second, bytes) = parse(instruction)?;
            Some((what, first.name, second.name, second.address, bytes))
        };
        let is = |what, first: &str, second: &str, address, bytes| {
            Some((what, first.to_string(), second.to_string(), address, bytes))
        };
        assert_eq!(read("lock; xchgl %0, %1"), is(Locked::Exchange, "0", "1", false, Some(4)));
        assert_eq!(read("xchg %0,(%1)"), is(Locked::Exchange, "0", "1", true, None));
        assert_eq!(read("lock; cmpxchgq %2,%1\\n"), is(Locked::CompareExchange, "2", "1", false, Some(8)));
        assert_eq!(read("lock\\n\\txadd %w[v], %[p]"), is(Locked::Add, "v", "p", false, None));
        for other in
            ["xaddl %0, %1", "cmpxchgl %2, %1", "lock; cmpxchg8b %0, %1", "lock; incl %0", "xchg %eax, %0"]
        {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
