//! Operators.

use super::{MEMORY, PLAIN, check, main};

/// `expr` of a type equals the number.
#[track_caller]
fn equals(expr: &str, expected: &str) {
    main(PLAIN, &format!("p := &array assert (eq {expr} {expected}) property 0 halt"), &[]);
    // And not that number plus one: the check can fail.
    main(PLAIN, &format!("p := &array assert (not (eq {expr} {expected})) property 0 halt"), &["one"]);
}

#[track_caller]
fn is_undefined(expr: &str, fault: &str) {
    main(MEMORY, &format!("p := &array s := (eq {expr} {expr}) halt"), &[fault]);
    main(PLAIN, &format!("p := &array s := (eq {expr} {expr}) error 0"), &["stuck"]);
}

#[test]
fn bit_vectors_wrap() {
    equals("(add 4294967295:b32 2:b32)", "1:b32");
    equals("(sub 1:b8 2:b8)", "255:b8");
    equals("(mul 65536:b32 65537:b32)", "65536:b32");
    equals("(mul -1:b128 -1:b128)", "1:b128");
    equals("(neg 1:b64)", "-1:b64");
    equals("(not 1:b3)", "6:b3");
    equals("(add 1:b1 1:b1)", "0:b1");
}

#[test]
fn division_rounds_to_zero() {
    equals("(divs -7:b32 2:b32)", "-3:b32");
    equals("(rems -7:b32 2:b32)", "-1:b32");
    equals("(divu -7:b32 2:b32)", "2147483644:b32");
    equals("(remu -7:b32 2:b32)", "1:b32");
    equals("(divs -128:b8 -1:b8)", "-128:b8");
    equals("(rems -128:b8 -1:b8)", "0:b8");
    equals(
        "(divs 170141183460469231731687303715884105728:b128 -1:b128)",
        "170141183460469231731687303715884105728:b128",
    );
    is_undefined("(divs 1:b32 0:b32)", "division by zero");
    is_undefined("(remu 1:b32 0:b32)", "division by zero");
}

#[test]
fn shifts_end_at_the_width() {
    equals("(shl 3:b8 7:b32)", "128:b8");
    equals("(shru -1:b32 31:b32)", "1:b32");
    equals("(shrs -8:b32 1:b8)", "-4:b32");
    equals("(shrs 1:b128 127:b32)", "0:b128");
    is_undefined("(shl 1:b32 32:b32)", "shift too far");
    is_undefined("(shrs 1:b32 -1:b32)", "shift too far");
    is_undefined("(shru 1:b8 4294967296:b64)", "shift too far");
}

#[test]
fn comparisons_know_signs() {
    equals("(ltu -1:b32 1:b32)", "0:b1");
    equals("(lts -1:b32 1:b32)", "1:b1");
    equals("(leu 5:b32 5:b32)", "1:b1");
    equals("(les 5:b32 -5:b32)", "0:b1");
    equals("(lts 1:b1 0:b1)", "1:b1");
}

#[test]
fn conversions() {
    equals("(zext b64 -1:b32)", "4294967295:b64");
    equals("(sext b64 -1:b32)", "-1:b64");
    equals("(trunc b8 511:b32)", "255:b8");
    equals("(cast b32 (cast f32 1065353216:b32))", "1065353216:b32");
    equals("(cast b64 5:ptr)", "5:b64");
}

#[test]
fn only_the_chosen_arm_must_have_a_meaning() {
    equals("(ite (eq 0:b32 0:b32) 5:b32 (divu 1:b32 0:b32))", "5:b32");
    is_undefined("(ite (eq 0:b32 1:b32) 5:b32 (divu 1:b32 0:b32))", "division by zero");
    is_undefined("(ite (eq 0:b32 (divu 1:b32 0:b32)) 5:b32 5:b32)", "division by zero");
}

#[test]
fn floats_are_binary32_and_binary64() {
    let double = |value: f64| format!("{}:f64", value.to_bits());
    let float = |value: f32| format!("{}:f32", value.to_bits());
    equals(&format!("(add {} {})", double(0.1), double(0.2)), &double(0.1 + 0.2));
    equals(&format!("(divf {} {})", float(1.0), float(3.0)), &float(1.0 / 3.0));
    equals(&format!("(floatf f32 {})", double(0.1)), &float(0.1));
    equals(&format!("(floatf f64 {})", float(0.5)), &double(0.5));
    equals("(floats f64 -3:b32)", &double(-3.0));
    equals("(floatu f32 -1:b64)", &float(18446744073709551615.0));
    equals(&format!("(bitss b32 {})", double(-3.9)), "-3:b32");
    equals(&format!("(bitsu b8 {})", float(255.9)), "255:b8");
    equals(&format!("(eq {} {})", double(0.0), double(-0.0)), "1:b1");
    equals(&format!("(cast b64 (neg {}))", double(0.0)), "9223372036854775808:b64");
    let nan = format!("(divf {} {})", double(0.0), double(0.0));
    equals(&format!("(eq {nan} {nan})"), "0:b1");
    equals(&format!("(lef {nan} {})", double(1.0)), "0:b1");
    equals(&format!("(ltf {} {})", float(1.0), float(2.0)), "1:b1");
    let far = "conversion of a float that does not fit";
    is_undefined(&format!("(bitss b32 {})", double(2147483648.0)), far);
    is_undefined(&format!("(bitsu b32 {})", double(-1.0)), far);
    is_undefined(&format!("(bitss b32 {nan})"), far);
}

#[test]
fn addresses_are_objects_and_offsets() {
    equals("(sub (add p 8:b64) &array)", "8:b64");
    equals("(ltu p (add p 4:b64))", "1:b1");
    equals("(eq p &x)", "0:b1");
    equals("(eq p 0:ptr)", "0:b1");
    equals("(eq p 4096:ptr)", "0:b1");
    equals("(eq (cast ptr (cast b64 p)) &array)", "1:b1");
    equals("(ltu 0:ptr p)", "1:b1");
    equals("(eq (sub (add p 8:b64) 8:b64) p)", "1:b1");
    // Static objects lie as they are declared.
    equals("(eq (ltu p &x) (ltu &x p))", "0:b1");
    is_undefined("(sub p &x)", "difference of pointers into different objects");
    equals("(ltu (cast b64 p) -4095:b64)", "1:b1");
    equals("(leu -1:b64 (cast b64 (add p 8:b64)))", "0:b1");
    let unsupported = "unsupported: arithmetic on an address or a handle";
    main(PLAIN, "p := &array k := (zext b64 (ltu (cast b64 p) 4294967295:b64)) halt", &[unsupported]);
    main(PLAIN, "p := &array k := (mul (cast b64 p) 3:b64) halt", &[unsupported]);
    main(PLAIN, "a := (trunc b32 (cast b64 &x)) halt", &[unsupported]);
}

#[test]
fn low_bits_of_addresses_can_carry_tags() {
    equals("(and (cast b64 p) 1:b64)", "0:b64");
    equals("(and (or (cast b64 p) 1:b64) 1:b64)", "1:b64");
    equals("(cast ptr (and (or (cast b64 p) 1:b64) -2:b64))", "&array");
    equals("(xor (or (cast b64 p) 3:b64) 3:b64)", "(cast b64 p)");
    equals("(trunc b3 (cast b64 (add p 4:b64)))", "4:b3");
    equals("(remu (cast b64 (add p 4:b64)) 8:b64)", "4:b64");
}

#[test]
fn constants_and_functions_have_addresses() {
    check(
        PLAIN,
        "body main () { branch (eq &x &y) then no p := &x q := &x assert (eq p q) property 0 halt no: error 1 }",
        &[],
    );
}
