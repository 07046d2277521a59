//! The objects of the library are as large, and aligned, as those of the system's headers.

mod support;

use std::process::Command;

use front_c::Options;
use front_c::hir::{ExprKind, Program};
use support::{describe, read_files};

const TYPES: &[&str] = &[
    "pthread_t",
    "pthread_mutex_t",
    "pthread_cond_t",
    "pthread_rwlock_t",
    "pthread_barrier_t",
    "pthread_spinlock_t",
    "pthread_once_t",
    "pthread_key_t",
    "pthread_attr_t",
    "pthread_mutexattr_t",
    "pthread_condattr_t",
    "pthread_rwlockattr_t",
    "pthread_barrierattr_t",
    "sem_t",
    "mtx_t",
    "cnd_t",
    "thrd_t",
    "tss_t",
    "once_flag",
    "fpos_t",
    "div_t",
    "ldiv_t",
    "lldiv_t",
    "size_t",
    "wchar_t",
    "struct timespec",
    "struct timeval",
    "max_align_t",
];

/// The sizes and alignments in the tables of 32-bit glibc, whose headers may not be there: size, alignment.
const ILP32: &[(&str, i128, i128)] = &[
    ("pthread_t", 4, 4),
    ("pthread_mutex_t", 24, 4),
    ("pthread_cond_t", 48, 4),
    ("pthread_rwlock_t", 32, 4),
    ("pthread_barrier_t", 20, 4),
    ("pthread_attr_t", 36, 4),
    ("pthread_rwlockattr_t", 8, 4),
    ("sem_t", 16, 4),
    ("mtx_t", 24, 4),
    ("cnd_t", 48, 4),
];

const INCLUDES: &str = "#include <pthread.h>\n#include <semaphore.h>\n#include <threads.h>\n#include <stdio.h>\n\
    #include <stdlib.h>\n#include <stddef.h>\n#include <sys/time.h>\n";

fn text(types: &[&str]) -> String {
    let line = |at: usize, ty: &str| format!("int size_{at} = sizeof({ty}), align_{at} = _Alignof({ty});\n");
    let lines: String = types.iter().enumerate().map(|(at, ty)| line(at, ty)).collect();
    format!("{INCLUDES}{lines}")
}

fn value(program: &Program, name: &str) -> i128 {
    let variable = program.variables.iter().find(|it| it.name == name).expect("it is declared");
    let cells = &variable.init.as_ref().expect("it has a value").cells;
    let value = cells.first().map(|cell| &program.exprs[cell.value].kind);
    if let Some(ExprKind::Integer(value)) = value { *value } else { 0 }
}

fn read(types: &[&str], ilp32: bool) -> Program {
    let model = ilp32.then_some(front_c::types::DataModel::Ilp32);
    let (result, map) = read_files(&[("t.c", &text(types))], Options { model, ..Options::default() });
    result.unwrap_or_else(|found| panic!("{:?}", describe(&found, &map))).program
}

#[test]
fn library_types_have_the_sizes_of_the_system() {
    let program = read(TYPES, false);
    let mut whole = text(TYPES);
    for (at, ty) in TYPES.iter().enumerate() {
        let (size, align) = (value(&program, &format!("size_{at}")), value(&program, &format!("align_{at}")));
        whole.push_str(&format!(
            "_Static_assert(sizeof({ty}) == {size}, \"{ty}\"); _Static_assert(_Alignof({ty}) == {align}, \"{ty}\");\n"
        ));
    }
    let file = std::env::temp_dir().join(format!("selvedge-sizes-{}.c", std::process::id()));
    std::fs::write(&file, whole).expect("a temporary file can be written");
    let output = Command::new("gcc").args(["-fsyntax-only", "-w"]).arg(&file).output();
    std::fs::remove_file(&file).expect("the temporary file can be removed");
    let Ok(output) = output else { return };
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{messages}");
}

#[test]
fn library_types_have_their_sizes_for_32_bits() {
    let names: Vec<&str> = ILP32.iter().map(|(name, ..)| *name).collect();
    let program = read(&names, true);
    for (at, (name, size, align)) in ILP32.iter().enumerate() {
        let found = (value(&program, &format!("size_{at}")), value(&program, &format!("align_{at}")));
        assert_eq!(found, (*size, *align), "{name}");
    }
}
