//! Sets of Booleans: what an expression may evaluate to when each `*` in it is chosen freely.

/// A subset of {0, 1}.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Values(u8);

impl Values {
    /// Neither value.
    pub const NONE: Values = Values(0);
    /// Only 0.
    pub const FALSE: Values = Values(1);
    /// Only 1.
    pub const TRUE: Values = Values(2);
    /// Either value.
    pub const ANY: Values = Values(3);

    /// The set that holds `value` alone.
    pub fn only(value: bool) -> Values {
        if value { Values::TRUE } else { Values::FALSE }
    }

    /// Whether `value` is in the set.
    pub fn may_be(self, value: bool) -> bool {
        self.0 & Values::only(value).0 != 0
    }

    /// The union.
    pub fn or_else(self, other: Values) -> Values {
        Values(self.0 | other.0)
    }

    /// The values of `f(a)` for a in the set.
    pub fn map(self, f: impl Fn(bool) -> bool) -> Values {
        self.flat_map(|a| Values::only(f(a)))
    }

    /// The values of `f(a, b)` for a in `self` and b in `other`, chosen independently.
    pub fn map2(self, other: Values, f: impl Fn(bool, bool) -> bool) -> Values {
        self.flat_map(|a| other.map(|b| f(a, b)))
    }

    /// The union of `f(a)` for a in the set.
    pub fn flat_map(self, f: impl Fn(bool) -> Values) -> Values {
        self.iter().fold(Values::NONE, |all, a| all.or_else(f(a)))
    }

    /// The members, 0 first.
    pub fn iter(self) -> impl Iterator<Item = bool> {
        [false, true].into_iter().filter(move |&value| self.may_be(value))
    }
}

impl std::fmt::Debug for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(["{}", "{0}", "{1}", "{0,1}"][usize::from(self.0)])
    }
}
