//! The two artificial programs of Cook, Kroening and Sharygina (SPIN 2005, section 5), made new from their
//! descriptions: the paper does not print them. The first has about 30 variables and nearly all valuations
//! are reachable; the second multiplies. The third is not from there: its threads turn their bits around and
//! keep their parity, which is hard for solvers without decision diagrams.

use anyhow::{Result, bail, ensure};
use std::fmt::Write;

/// The command `artificial`.
pub fn run(args: &[String]) -> Result<()> {
    let number = |index: usize, default: usize| args.get(index).map_or(Ok(default), |text| text.parse());
    let text = match args.first().map(String::as_str) {
        Some("reachable") => reachable(number(1, 30)?, number(2, 2)?)?,
        Some("multiplication") => multiplication(number(1, 5)?)?,
        Some("parity") => parity(number(1, 22)?)?,
        _ => bail!("`artificial` takes `reachable`, `multiplication` or `parity`"),
    };
    print!("{text}");
    Ok(())
}

/// Threads that set their share of the variables to any value, again and again. Safe.
fn reachable(variables: usize, threads: usize) -> Result<String> {
    ensure!(threads >= 1 && variables >= threads, "each thread needs a variable");
    let names: Vec<String> = (0..variables).map(|i| format!("v{i}")).collect();
    let mut text = format!("// {variables} variables of which nearly all valuations are reachable.\n");
    let start: Vec<String> = names.iter().map(|name| format!("{name} := 0")).collect();
    writeln!(text, "decl bad := 0, {};\n", start.join(", "))?;
    for thread in 0..threads {
        writeln!(text, "void worker{thread}() begin\n  while (*) do")?;
        for at in (thread..variables).step_by(threads) {
            let other = &names[(at + 1) % variables];
            writeln!(text, "    {} := schoose[{other} & *, *];", names[at])?;
        }
        writeln!(text, "    assert(!bad);\n    bad := bad & {};\n  od;\nend\n", names[thread])?;
    }
    writeln!(text, "void main() begin")?;
    (1..threads).try_for_each(|thread| writeln!(text, "  start_thread worker{thread}();"))?;
    writeln!(text, "  worker0();\nend")?;
    Ok(text)
}

/// The product of two numbers that are not 1, by shifting and adding: it is no prime. Safe.
pub fn multiplication(bits: usize) -> Result<String> {
    ensure!((2..=15).contains(&bits), "from 2 to 15 bits");
    let prime = (2..1u64 << (2 * bits - 1)).rev().find(|&n| is_prime(n)).expect("2 or 3 is one");
    let mut text = format!(
        "// Two factors of {bits} bits, neither of them 1, whose product is not the prime {prime}.\n"
    );
    let list =
        |name: &str, count: usize| -> Vec<String> { (0..count).map(|i| format!("{name}{i}")).collect() };
    let (a, b, p) = (list("a", bits), list("b", bits), list("p", 2 * bits));
    writeln!(text, "void main() begin\n  decl {}, {}, {}, c;", a.join(", "), b.join(", "), p.join(", "))?;
    for factor in [&a, &b] {
        writeln!(text, "  assume({});", factor[1..].join(" | "))?;
    }
    writeln!(text, "  {} := {};", p.join(", "), vec!["0"; 2 * bits].join(", "))?;
    for (i, bi) in b.iter().enumerate() {
        writeln!(text, "  c := 0;")?;
        for (j, aj) in a.iter().enumerate() {
            let (sum, add) = (&p[i + j], format!("({aj} & {bi})"));
            let carry = format!("({sum} & {add}) | ({sum} & c) | ({add} & c)");
            writeln!(text, "  {sum}, c := ({sum} ^ {add}) ^ c, {carry};")?;
        }
        writeln!(text, "  {} := c;", p[i + bits])?;
    }
    let equal = p.iter().enumerate().map(
        |(i, bit)| {
            if prime >> i & 1 == 1 { bit.clone() } else { format!("!{bit}") }
        },
    );
    writeln!(text, "  assert(!({}));\nend", equal.collect::<Vec<_>>().join(" & "))?;
    Ok(text)
}

/// Any number of threads with bits of odd parity, which they turn around and shuffle; a flag protects the
/// assertion. Safe.
fn parity(bits: usize) -> Result<String> {
    ensure!(bits >= 2, "at least 2 bits");
    let names: Vec<String> = (0..bits).map(|i| format!("b{i}")).collect();
    let (list, odd) = (names.join(", "), names.join(" ^ "));
    let turned: Vec<&str> = names[1..].iter().chain(&names[..1]).map(String::as_str).collect();
    let shuffled: Vec<&str> =
        names.iter().step_by(2).chain(names[1..].iter().step_by(2)).map(String::as_str).collect();
    let mut text = format!(
        "// Threads that keep the parity of {bits} bits.\ndecl m := 0, c := 0;\n\nvoid work() begin\n"
    );
    writeln!(text, "  decl {list};\n  {list} := {};\n  assume({odd});", vec!["*"; bits].join(", "))?;
    writeln!(
        text,
        "  while (*) do\n    {list} := {};\n    {list} := {};\n  od;",
        turned.join(", "),
        shuffled.join(", ")
    )?;
    writeln!(text, "  atomic_begin;\n  assume(!m);\n  m := 1;\n  atomic_end;\n  assert(!c & ({odd}));")?;
    writeln!(text, "  c := 1;\n  c := 0;\n  m := 0;\nend\n\nvoid main() begin")?;
    writeln!(text, "again:\n  start_thread work();\n  goto again;\nend")?;
    Ok(text)
}

fn is_prime(n: u64) -> bool {
    n >= 2 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d))
}
