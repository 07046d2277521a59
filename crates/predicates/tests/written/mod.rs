//! Predicates as they are written, and read again: random ones over variables of all widths and over pointers
//! are the same condition, whatever the variables hold.

use base::{Budget, Random};
use c::types::{mask, signed};
use c::{Binary, Convert, ExprId, Exprs, LocalId, Node, ObjectScope, Program, Type, Unary};
use predicates::boolean::{Names, Predicated, ProgramNames, Written, of_conditions, written};
use relation::{Home, Numbers, Relation};
use std::collections::HashMap;
use testing::expressions::{Expressions, number};
use testing::programs::normalised;

const PROGRAM: &str = "#include <pthread.h>
#include <assert.h>
struct pair { char tag; struct pair *next; struct { short low, high; } part; };
unsigned char c; signed char s; short h; unsigned short g; unsigned u; int i, k; long l; unsigned long m; int a[2]; unsigned *p;
int large[300], grid[3][2]; struct pair one, row[4]; void *q; const char *name = \"text\"; void *(*f)(void *); pthread_mutex_t lock;
void *worker(void *arg) {
    unsigned k = u; long w = l; signed char d = s; int inner = i; int *o = &inner;
    c++; s--; h = g; g = c; i = a[0]; a[1] = i; l = w + m; m = k; p = &u; w = d; q = o; q = &one.part; q = &grid[1][1]; q = &row[2].next; q = &large[7]; f = worker;
    q = (void *)name; q = &lock; { void *row = q; c++; assert(row == q || row != &u); }
    assert(k <= u || w == l || d == s || p == 0 || q == o);
    return 0;
}
int main(void) { pthread_t id; for (k = 0; k < 2; k++) pthread_create(&id, 0, worker, 0); return 0; }
";

/// The program, and its relation.
fn program() -> (Program, Relation) {
    let program = normalised("written.c", PROGRAM, &[]).expect("it is C").program;
    let relation = Relation::of(&program, &c::Options::default(), &Budget::unlimited());
    (program, relation.expect("it is supported"))
}

/// Addresses of parts of all objects, and between them, and some numbers that are none.
fn addresses(program: &Program) -> Vec<u128> {
    let numbers = Numbers::of(program).expect("there are few objects");
    let mut all = vec![0, 7, numbers.handles];
    for (id, object) in program.objects().enumerate().filter(|(_, it)| it.scope == ObjectScope::Static) {
        let stride = program.layouts()[object.layout].stride;
        let size = stride.saturating_mul(object.count);
        let offsets = [0, 1, 2, 4, 8, 16, 18, stride, size.saturating_sub(1), size, size + 1];
        all.extend(offsets.map(|it| numbers.address(id, it as i64)));
    }
    all
}

#[test]
fn written_predicates_are_read_as_the_same() {
    (7..13).for_each(round_trip);
}

fn round_trip(seed: u64) {
    let (program, mut relation) = program();
    let names = ProgramNames::new(&program);
    let mut random = Random::new(seed);
    // Few, so that pointers are equal at times.
    let near = addresses(&program).into_iter().step_by(9).collect::<Vec<u128>>();
    let worker = relation.variables.iter().find_map(|it| match it.home {
        Home::Template(template) if names.function(template) == "worker" => Some(template),
        _ => None,
    });
    let worker = worker.expect("the worker has variables");
    let fits = |home: Home| home == Home::Shared || home == Home::Template(worker);
    let own = relation.variables.enumerate().filter(|(_, it)| fits(it.home));
    let mut maker = Expressions {
        random: &mut random,
        exprs: relation.exprs.clone(),
        variables: own.map(|(id, it)| (id, it.ty)).collect(),
        widths: vec![1, 5, 8, 16, 32, 32, 64, 128],
        addresses: near.clone(),
        strange: false,
    };
    assert!(maker.variables.len() >= 20);
    let wanted: Vec<ExprId> = (0..120).map(|_| maker.condition(3)).collect();
    relation.exprs = maker.exprs;
    let (mut compared, mut pointers) = (0, 0);
    for condition in wanted {
        let text = written(&relation, &relation.exprs, condition, &names);
        if relation.exprs.locals(condition).is_empty() || text.contains('…') {
            continue;
        }
        let read = read(&relation, &names, &text);
        pointers += usize::from(text.contains('&'));
        compared += compare(&relation, condition, &read.exprs, &read.conditions, &text, &near, &mut random);
    }
    assert!(
        compared > 600 && pointers > 10,
        "only {compared} values were compared, {pointers} have addresses"
    );
}

fn read(relation: &Relation, names: &ProgramNames<'_>, text: &str) -> Predicated {
    let requested = Written { texts: &[text.to_string()], names };
    let read = of_conditions(relation, &requested, &Budget::unlimited()).expect("there is no limit");
    read.unwrap_or_else(|why| panic!("{}", why.message))
}

/// Comparisons with addresses are the very same expressions when they are read again.
#[test]
fn addresses_are_written_as_such_and_read_as_the_same() {
    let (program, mut relation) = program();
    let names = ProgramNames::new(&program);
    let find = |name: &str| relation.variables.enumerate().find(|it| it.1.name == name).map(|it| it.0);
    let q = find("q").expect("there is one");
    let q = relation.exprs.add(Node::Local(q, Type::Pointer));
    let mut texts = vec![];
    for address in addresses(&program).into_iter().filter(|&it| it > 0) {
        let number = relation.exprs.number(Type::Pointer, address);
        let condition = relation.exprs.binary(Binary::Eq, q, number);
        let text = written(&relation, &relation.exprs, condition, &names);
        let read = read(&relation, &names, &text);
        let mut same = read.exprs.clone();
        let again = same.import(&relation.exprs, condition, |it| it);
        let bytes = text.contains("(char *)");
        assert!(bytes || read.conditions.contains(&again), "{text}");
        texts.push(text);
    }
    for text in [
        "&u",
        "&a[1]",
        "&one",
        "&one.next",
        "&row[1]",
        "&row[0].part.high",
        "&large[300]",
        "&worker",
        "&lock",
    ] {
        let wanted = format!("q == {text}");
        assert!(texts.contains(&wanted), "{wanted} is not in {texts:?}");
    }
    // What a user may write otherwise.
    for (text, same) in [
        ("q == large", "q == &large[0]"),
        ("q == &one.part", "q == &one.part.low"),
        ("q == worker", "q == &worker"),
        ("q == ::row", "q == &row[0]"),
        ("q == (char *)&row[1] + 8", "q == &row[1].next"),
        ("(char *)q - (char *)large == 4", "q == &large[1]"),
        ("q != 0 && q <= (void *)&large[4]", "q != 0 && !(&large[4] < q)"),
    ] {
        let [one, other] = [text, same].map(|it| read(&relation, &names, it));
        assert_eq!(one.conditions.len(), other.conditions.len(), "{text}");
        let both = Written { texts: &[text.to_string(), same.to_string()], names: &names };
        let both = of_conditions(&relation, &both, &Budget::unlimited()).expect("there is no limit");
        // Equal conditions are kept once.
        assert_eq!(both.map(|it| it.conditions.len()), Ok(one.conditions.len()), "{text}");
    }
}

/// An address that each run chooses is a variable whose name begins with `&`.
#[test]
fn addresses_of_locals_are_read() {
    let (program, relation) = program();
    let names = ProgramNames::new(&program);
    // A local hides an array of its name.
    for text in ["q == &inner", "q == &worker::inner", "row == &row[0]"] {
        let read = read(&relation, &names, text);
        let shown: Vec<String> =
            read.conditions.iter().map(|&it| written(&relation, &read.exprs, it, &names)).collect();
        let same = |it: &&String| it.contains("&inner") || *it == text;
        assert_eq!(shown.iter().filter(same).count(), 1, "{text}: {shown:?}");
    }
}

#[test]
fn what_is_wrong_with_types_and_addresses_is_told() {
    let (program, relation) = program();
    let names = ProgramNames::new(&program);
    for (text, why) in [
        ("(unsigned _BitInt(0))u == 1", "`unsigned _BitInt(0)` is no type"),
        ("(_BitInt(129))u == 1", "`_BitInt(129)` is no type"),
        ("(_BitInt)u == 1", "`_BitInt` is no type"),
        ("(unsigned signed)u == 1", "`unsigned signed` is no type"),
        ("(short char)u == 1", "`short char` is no type"),
        ("(void)u == 1", "`void` is no type"),
        ("(unsigned u)u == 1", "`unsigned u` is no type"),
        ("(float)u == 1", "floating-point"),
        ("(struct pair *)q == 0", "`struct` types"),
        ("(const unsigned", "`)` is missing"),
        ("q == &nobody", "there is no variable `nobody` whose address is followed"),
        ("q == &large[301]", "there is no variable `large[301]`"),
        ("q == & 3", "`&` without the name"),
        ("q == &", "`&` without the name"),
        ("q == &large + 1", "in bytes"),
        ("q * 2 == q", "a pointer is compared with a number"),
        ("(char *)q * (char *)q == q", "is not defined for pointers"),
        ("q == 5", "a number that is not 0"),
    ] {
        let requested = Written { texts: &[text.to_string()], names: &names };
        let read = of_conditions(&relation, &requested, &Budget::unlimited()).expect("there is no limit");
        assert!(read.as_ref().is_err_and(|it| it.message.contains(why)), "{text}: {:?}", read.err());
    }
}

/// One of the conditions that were read is the one that was written, or its negation, or it is constant and
/// none was kept; how many valuations said so.
fn compare(
    relation: &Relation,
    condition: ExprId,
    exprs: &Exprs,
    read: &[ExprId],
    text: &str,
    addresses: &[u128],
    random: &mut Random,
) -> usize {
    let variables = relation.exprs.locals(condition);
    let mut rows: Vec<(bool, Vec<bool>)> = vec![];
    for _ in 0..40 {
        let mut any = |it: LocalId| match relation.variables[it].ty {
            Type::Pointer => *random.pick(addresses),
            ty => number(random) & mask(ty.bits(64)),
        };
        let values: HashMap<LocalId, u128> = variables.iter().map(|&it| (it, any(it))).collect();
        let about = |id: ExprId| exprs.locals(id).iter().all(|it| values.contains_key(it));
        let Some(first) = value(exprs, condition, &values) else { continue };
        let others = read.iter().map(|&it| about(it) && value(exprs, it, &values) == Some(1));
        rows.push((first == 1, others.collect()));
    }
    let constant = rows.windows(2).all(|pair| pair[0].0 == pair[1].0);
    let same = |at: usize| rows.iter().all(|row| row.0 == row.1[at]);
    assert!(constant || (0..read.len()).any(same), "{text}: {}", relation.show(condition));
    if constant { 0 } else { rows.len() }
}

/// The value of an expression; none where it is undefined.
fn value(exprs: &Exprs, root: ExprId, values: &HashMap<LocalId, u128>) -> Option<u128> {
    let mut found: HashMap<ExprId, u128> = HashMap::new();
    for id in exprs.below(root) {
        let ty = exprs.ty(id);
        let bits = ty.bits(64);
        let value = match exprs.node(id) {
            Node::Const(_, value) => value,
            Node::Local(variable, _) => values[&variable],
            Node::Unary(Unary::Not, a) => !found[&a],
            Node::Unary(Unary::Neg, a) => found[&a].wrapping_neg(),
            Node::Binary(operator, a, b) => binary(operator, exprs.ty(a).bits(64), found[&a], found[&b])?,
            Node::Convert(Convert::SignExtend, _, a) => signed(found[&a], exprs.ty(a).bits(64)) as u128,
            Node::Convert(_, _, a) => found[&a],
            Node::Ite(test, a, b) => found[if found[&test] == 1 { &a } else { &b }],
            Node::Address(_) => return None,
        };
        found.insert(id, value & mask(bits));
    }
    Some(found[&root])
}

fn binary(operator: Binary, bits: u8, a: u128, b: u128) -> Option<u128> {
    use Binary::*;
    let (x, y) = (signed(a, bits), signed(b, bits));
    // Predicates are total.
    let shift = |word: u128, far: u128, by: fn(u128, u32) -> u128| match u32::try_from(b) {
        Ok(amount) if amount < u32::from(bits) => by(word, amount),
        _ => far,
    };
    Some(match operator {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        DivU => a.checked_div(b).unwrap_or(0),
        RemU => a.checked_rem(b).unwrap_or(0),
        DivS | RemS if y == 0 => 0,
        DivS => x.wrapping_div(y) as u128,
        RemS => x.wrapping_rem(y) as u128,
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Shl => shift(a, 0, |word, by| word << by),
        ShrU => shift(a, 0, |word, by| word >> by),
        ShrS => shift(x as u128, (x >> 127) as u128, |word, by| (word as i128 >> by) as u128),
        Eq => u128::from(a == b),
        LtU => u128::from(a < b),
        LeU => u128::from(a <= b),
        LtS => u128::from(x < y),
        LeS => u128::from(x <= y),
        _ => return None,
    })
}
