//! Boolean programs of a lock-free stack (Treiber, 1986) whose numbers have three bits: a head, nodes with a
//! successor and a value, and a pool from which `push` takes a node that is free. `pop` reads the head and
//! its successor and swings the head if it is still the same, so that a node that was popped and pushed again
//! in between is not noticed (the ABA problem): a node that is free gets into the stack, and its value, which
//! is 0 then, is popped. With `locked` the read and the swing are one atomic section, and the program is
//! safe.

use anyhow::{Result, bail, ensure};
use std::fmt::Write;

/// The command `stack`.
pub fn run(args: &[String]) -> Result<()> {
    let [nodes, variant, shape] = args else { bail!("`stack` takes NODES aba|locked once|loop") };
    let (nodes, locked) = (nodes.parse()?, flag(variant, ["aba", "locked"])?);
    print!("{}", program(nodes, locked, flag(shape, ["once", "loop"])?)?);
    Ok(())
}

fn flag(word: &str, words: [&str; 2]) -> Result<bool> {
    let found = words.iter().position(|it| *it == word);
    found.map_or_else(|| bail!("`{word}` is neither `{}` nor `{}`", words[0], words[1]), |at| Ok(at == 1))
}

/// The bits of a number.
type Number = [String; 3];

fn number(name: &str) -> Number {
    [0, 1, 2].map(|bit| format!("{name}{bit}"))
}

fn constant(value: usize) -> Number {
    [0, 1, 2].map(|bit| (value >> bit & 1).to_string())
}

fn equal(a: &Number, b: &Number) -> String {
    let bits: Vec<String> = a.iter().zip(b).map(|(a, b)| format!("({a} = {b})")).collect();
    format!("({})", bits.join(" & "))
}

fn is(number: &Number, value: usize) -> String {
    let bit =
        |(at, name): (usize, &String)| if value >> at & 1 == 1 { name.clone() } else { format!("!{name}") };
    format!("({})", number.iter().enumerate().map(bit).collect::<Vec<_>>().join(" & "))
}

fn either(test: &str, then: &str, other: &str) -> String {
    format!("({test} & {then}) | (!{test} & {other})")
}

/// One parallel assignment.
fn assign<'a>(pairs: impl IntoIterator<Item = (&'a String, String)>) -> String {
    let (targets, values): (Vec<&str>, Vec<String>) =
        pairs.into_iter().map(|it| (it.0.as_str(), it.1)).unzip();
    format!("{} := {};", targets.join(", "), values.join(", "))
}

/// The shared variables and the locals of a thread.
struct Stack {
    head: Number,
    next: Vec<Number>,
    value: Vec<Number>,
    used: Vec<String>,
    node: Number,
    to: Number,
    item: Number,
    locked: bool,
}

impl Stack {
    fn load(&self, into: &Number, table: &[Number]) -> String {
        let bit = |at: usize| {
            let cases =
                table.iter().zip(1..).map(|(it, node)| format!("({} & {})", is(&self.node, node), it[at]));
            cases.collect::<Vec<_>>().join(" | ")
        };
        assign(into.iter().zip([0, 1, 2].map(bit)))
    }

    fn store<'a>(&self, table: &'a [Number], from: &Number) -> Vec<(&'a String, String)> {
        let cell = |(it, node): (&'a Number, usize)| {
            let here = is(&self.node, node);
            it.iter()
                .zip(from.clone())
                .map(move |(old, new)| (old, either(&here, &new, old)))
                .collect::<Vec<_>>()
        };
        table.iter().zip(1..).flat_map(cell).collect()
    }

    fn swing(&self, from: &Number, to: &Number) -> String {
        let (same, ok) = (equal(&self.head, from), "ok".to_string());
        let head = self.head.iter().zip(to).map(|(old, new)| (old, either(&same, new, old)));
        assign([(&ok, same.clone())].into_iter().chain(head))
    }

    /// Tries until the head was swung.
    fn attempts(&self, body: [String; 3]) -> String {
        let (begin, end) = if self.locked { ("atomic_begin; ", " atomic_end;") } else { ("", "") };
        format!("    ok := 0;\n    while (!ok) do\n      {begin}{}{end}\n    od;\n", body.join("\n      "))
    }

    fn push(&self) -> String {
        let any = |it: &Number| assign(it.iter().zip([(); 3].map(|()| "*".to_string())));
        let free =
            self.used.iter().zip(1..).map(|(used, node)| format!("({} & !{used})", is(&self.node, node)));
        let taken = self
            .used
            .iter()
            .zip(1..)
            .map(|(used, node)| (used, format!("{used} | {}", is(&self.node, node))));
        let mut text = format!("    {}\n    assume({});\n", any(&self.item), self.item.join(" | "));
        let take = format!("assume({});", free.collect::<Vec<_>>().join(" | "));
        text += &format!("    atomic_begin; {} {take} {} atomic_end;\n", any(&self.node), assign(taken));
        text += &format!("    {}\n", assign(self.store(&self.value, &self.item)));
        let read = assign(self.to.iter().zip(self.head.clone()));
        text + &self.attempts([
            read,
            assign(self.store(&self.next, &self.to)),
            self.swing(&self.to, &self.node),
        ])
    }

    fn pop(&self) -> String {
        let read = assign(self.node.iter().zip(self.head.clone()));
        let read = format!("{read} assume(!{});", is(&self.node, 0));
        let mut text =
            self.attempts([read, self.load(&self.to, &self.next), self.swing(&self.node, &self.to)]);
        text +=
            &format!("    {}\n    assert({});\n", self.load(&self.item, &self.value), self.item.join(" | "));
        let freed = self
            .used
            .iter()
            .zip(1..)
            .map(|(used, node)| (used, format!("{used} & !{}", is(&self.node, node))));
        let cleared = self.store(&self.value, &constant(0));
        text + &format!("    {}\n", assign(cleared.into_iter().chain(freed)))
    }
}

/// Two nodes are in the stack at the start, with any values. Three threads pop, push and pop, or do either
/// for ever.
fn program(nodes: usize, locked: bool, forever: bool) -> Result<String> {
    ensure!((2..=7).contains(&nodes), "from 2 to 7 nodes");
    let numbers = |name: &str| (1..=nodes).map(|node| number(&format!("{name}{node}_"))).collect::<Vec<_>>();
    let used: Vec<String> = (1..=nodes).map(|node| format!("used{node}")).collect();
    let (node, to, item) = (number("node"), number("to"), number("item"));
    let stack = Stack {
        head: number("head"),
        next: numbers("next"),
        value: numbers("value"),
        used,
        node,
        to,
        item,
        locked,
    };
    let mut text = format!(
        "// A lock-free stack with {nodes} nodes and three threads; {}.\n",
        if locked { "safe" } else { "unsafe" }
    );
    let fixed = stack.head.iter().zip(constant(1)).map(|(bit, value)| format!("{bit} := {value}"));
    let used = stack.used.iter().enumerate().map(|(at, used)| format!("{used} := {}", usize::from(at < 2)));
    writeln!(text, "decl {};", fixed.chain(used).collect::<Vec<_>>().join(", "))?;
    let data: Vec<&str> = stack.next.iter().chain(&stack.value).flatten().map(String::as_str).collect();
    let locals: Vec<&str> =
        [&stack.node, &stack.to, &stack.item].into_iter().flatten().map(String::as_str).collect();
    writeln!(text, "decl {};\n\nvoid worker() begin\n  decl {}, ok;", data.join(", "), locals.join(", "))?;
    match forever {
        true => write!(
            text,
            "  while (*) do\n  if (*) then\n{}  else\n{}  fi;\n  od;\n",
            stack.push(),
            stack.pop()
        )?,
        false => write!(text, "{}{}{}", stack.pop(), stack.push(), stack.pop())?,
    }
    let links = stack.next[0].iter().zip(constant(2)).chain(stack.next[1].iter().zip(constant(0)));
    let empty = stack.value[2..].iter().flatten().map(|bit| (bit, "0".to_string()));
    writeln!(text, "end\n\nvoid main() begin\n  {}", assign(links.chain(empty)))?;
    let filled: Vec<String> = stack.value[..2].iter().map(|it| format!("({})", it.join(" | "))).collect();
    writeln!(text, "  assume({});", filled.join(" & "))?;
    writeln!(text, "  start_thread worker();\n  start_thread worker();\n  worker();\nend")?;
    Ok(text)
}
