//! The words of operators, in one table for both directions.

use crate::expr::{Binary, Convert, Unary};
use crate::op::{LockMode, MutexKind, SyncOp};
use crate::types::{SyncKind, Type};

/// The words of unary operators.
pub const UNARY: [(&str, Unary); 2] = [("not", Unary::Not), ("neg", Unary::Neg)];

/// The words of binary operators.
pub const BINARY: [(&str, Binary); 21] = [
    ("add", Binary::Add),
    ("sub", Binary::Sub),
    ("mul", Binary::Mul),
    ("divu", Binary::DivU),
    ("divs", Binary::DivS),
    ("remu", Binary::RemU),
    ("rems", Binary::RemS),
    ("divf", Binary::DivF),
    ("and", Binary::And),
    ("or", Binary::Or),
    ("xor", Binary::Xor),
    ("shl", Binary::Shl),
    ("shru", Binary::ShrU),
    ("shrs", Binary::ShrS),
    ("eq", Binary::Eq),
    ("ltu", Binary::LtU),
    ("leu", Binary::LeU),
    ("lts", Binary::LtS),
    ("les", Binary::LeS),
    ("ltf", Binary::LtF),
    ("lef", Binary::LeF),
];

/// The words of conversions.
pub const CONVERT: [(&str, Convert); 9] = [
    ("zext", Convert::ZeroExtend),
    ("sext", Convert::SignExtend),
    ("trunc", Convert::Truncate),
    ("cast", Convert::Reinterpret),
    ("floatu", Convert::FloatU),
    ("floats", Convert::FloatS),
    ("bitsu", Convert::BitsU),
    ("bitss", Convert::BitsS),
    ("floatf", Convert::FloatF),
];

/// Operations on synchronisation objects that have no operands of their own.
pub(super) const SYNC: [(&str, SyncOp); 27] = [
    ("lock", SyncOp::Lock(LockMode::Wait)),
    ("trylock", SyncOp::Lock(LockMode::Try)),
    ("timedlock", SyncOp::Lock(LockMode::Timed)),
    ("unlock", SyncOp::Unlock),
    ("rdlock", SyncOp::ReadLock(LockMode::Wait)),
    ("tryrdlock", SyncOp::ReadLock(LockMode::Try)),
    ("timedrdlock", SyncOp::ReadLock(LockMode::Timed)),
    ("wrlock", SyncOp::WriteLock(LockMode::Wait)),
    ("trywrlock", SyncOp::WriteLock(LockMode::Try)),
    ("timedwrlock", SyncOp::WriteLock(LockMode::Timed)),
    ("rwunlock", SyncOp::RwUnlock),
    ("signal", SyncOp::Signal),
    ("broadcast", SyncOp::Broadcast),
    ("arrive", SyncOp::BarrierWait),
    ("semwait", SyncOp::SemWait(LockMode::Wait)),
    ("trysemwait", SyncOp::SemWait(LockMode::Try)),
    ("timedsemwait", SyncOp::SemWait(LockMode::Timed)),
    ("post", SyncOp::SemPost),
    ("semvalue", SyncOp::SemValue),
    ("oncebegin", SyncOp::OnceBegin),
    ("onceend", SyncOp::OnceEnd),
    ("destroymutex", SyncOp::Destroy(SyncKind::Mutex)),
    ("destroyrwlock", SyncOp::Destroy(SyncKind::RwLock)),
    ("destroycond", SyncOp::Destroy(SyncKind::Cond)),
    ("destroybarrier", SyncOp::Destroy(SyncKind::Barrier)),
    ("destroysemaphore", SyncOp::Destroy(SyncKind::Semaphore)),
    ("destroyonce", SyncOp::Destroy(SyncKind::Once)),
];

pub(super) const MUTEX: [(&str, MutexKind); 3] = [
    ("normal", MutexKind::Normal),
    ("recursive", MutexKind::Recursive),
    ("errorcheck", MutexKind::ErrorCheck),
];

/// The word of an item of a table.
pub fn word<T: PartialEq>(table: &[(&'static str, T)], item: &T) -> &'static str {
    table.iter().find(|(_, it)| it == item).map_or("?", |(word, _)| word)
}

/// The item of a word of a table.
pub fn item<T: Copy>(table: &[(&'static str, T)], word: &str) -> Option<T> {
    table.iter().find(|(it, _)| *it == word).map(|(_, item)| *item)
}

/// The type that a word names.
pub fn ty(word: &str) -> Option<Type> {
    match word {
        "ptr" => Some(Type::Pointer),
        "f32" => Some(Type::Float),
        "f64" => Some(Type::Double),
        _ => word.strip_prefix('b').and_then(|bits| bits.parse().ok()).map(Type::Bits),
    }
}
