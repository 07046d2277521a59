//! Random programs in which addresses are used again.

use crate::random::HEAD;
use base::Random;

/// A random program in which addresses are used again, compared and followed.
pub fn program(random: &mut Random) -> String {
    let mut text = HEAD.to_string();
    for name in ["main", "f", "g"] {
        text += &format!("local {name}::a b2 = 0\nlocal {name}::p ptr = 0\nlocal {name}::q ptr = 0\n");
    }
    text += "local r::n b2 = 0\n";
    for name in ["main", "f"] {
        text += &format!("body {name} () {{\n  p := alloc 0 * 1:b64 zeroed\n  q := p\n");
        if name == "main" {
            text += "  store [gp 0] := p\n  create f()\n";
        }
        for at in 0..4 + random.below(4) {
            text += &format!("  {name}{at}: {}\n", reuse_step(random));
        }
        text += "  assert (not (eq p q)) property 0\n  return\n}\n";
    }
    text + "body g () { return }\nbody r (n) { return with n }\n"
}

fn reuse_step(random: &mut Random) -> String {
    let steps = [
        "p := alloc 0 * 1:b64 zeroed",
        "p := alloc 0 * 2:b64 zeroed",
        "q := alloc 0 * 1:b64 zeroed",
        "free p",
        "free q",
        "q := p",
        "p := load [gp 0]",
        "q := load [gp 0]",
        "store [gp 0] := p",
        "p := rmw [gp 0] := q if (eq p q)",
        "q := rmw [gp 0] := 0:ptr if (not (eq q 0:ptr))",
        "store [*p 0] := 1:b2",
        "store [*q 0] := 2:b2",
        "a := load [*p 0]",
        "a := load [*q 0]",
        "assume (eq p q)",
        "assume (eq a 1:b2)",
        "assume (not (eq p q))",
        "section begin",
        "section end",
    ];
    random.pick(&steps).to_string()
}
