//! The two artificial programs of Cook, Kroening and Sharygina (SPIN 2005, section 5), made new from their descriptions: the paper does
//! not print them. The first has about 30 variables and nearly all valuations are reachable; the second multiplies.

use anyhow::{Result, bail, ensure};
use std::fmt::Write;

/// The command `artificial`.
pub fn run(args: &[String]) -> Result<()> {
    let number = |index: usize, default: usize| args.get(index).map_or(Ok(default), |text| text.parse());
    let text = match args.first().map(String::as_str) {
        Some("reachable") => reachable(number(1, 30)?, number(2, 2)?)?,
        Some("multiplication") => multiplication(number(1, 5)?)?,
        _ => bail!("`artificial` takes `reachable` or `multiplication`"),
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
fn multiplication(bits: usize) -> Result<String> {
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

fn is_prime(n: u64) -> bool {
    n >= 2 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d))
}
