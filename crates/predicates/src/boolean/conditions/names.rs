//! What names in conditions stand for that guarded commands do not say: functions, and the addresses of
//! objects, which are numbers there. `&a[3]` and `&s.next` are read and written by the shapes of the
//! program's objects.

use super::tokens::{Token, tokens};
use c::{Layout, Object, ObjectId, ObjectScope, ProcId, Program};
use relation::Numbers;

/// Who knows the names.
pub trait Names {
    /// The name of a function that threads begin in.
    fn function(&self, id: ProcId) -> String;

    /// A number as the address of an object, `&a[3]`.
    fn address(&self, _number: u128) -> Option<String> {
        None
    }

    /// The number of the address of an object or of a part of it, named without the `&`; with `decays` only
    /// what C takes for an address by itself, arrays and functions.
    fn number(&self, _name: &str, _decays: bool) -> Option<u128> {
        None
    }
}

/// Functions alone.
impl<F: Fn(ProcId) -> String> Names for F {
    fn function(&self, id: ProcId) -> String {
        self(id)
    }
}

/// The names of a program.
pub struct ProgramNames<'a> {
    program: &'a Program,
    numbers: Option<Numbers>,
}

impl<'a> ProgramNames<'a> {
    /// Those of this program.
    pub fn new(program: &'a Program) -> ProgramNames<'a> {
        ProgramNames { program, numbers: Numbers::of(program) }
    }

    /// The objects whose addresses are numbers.
    fn objects(&self) -> impl Iterator<Item = (ObjectId, &'a Object)> {
        self.program.objects().enumerate().filter(|(_, it)| it.scope == ObjectScope::Static)
    }

    fn layout(&self, object: &Object) -> &'a Layout {
        &self.program.layouts()[object.layout]
    }

    /// The name of a byte of an object.
    fn part(&self, object: &Object, offset: u64) -> Option<String> {
        let layout = self.layout(object);
        let (element, rest) = (offset.checked_div(layout.stride)?, offset % layout.stride);
        let index = if object.count > 1 || element > 0 { format!("[{element}]") } else { String::new() };
        let member = match rest {
            0 => "",
            _ => &layout.cells.iter().find(|it| it.offset == rest && !it.name.is_empty())?.name,
        };
        Some(format!("{}{index}{member}", object.name))
    }

    /// Where the part of an object begins whose name follows that of the object.
    fn offset(&self, object: &Object, suffix: &str) -> Option<u64> {
        let layout = self.layout(object);
        if let Some(offset) = member(layout, suffix) {
            return Some(offset);
        }
        let (element, rest) = suffix.strip_prefix('[')?.split_once(']')?;
        let element: u64 = element.parse().ok()?;
        let start = element.checked_mul(layout.stride).filter(|_| element <= object.count)?;
        start.checked_add(member(layout, rest)?)
    }
}

impl Names for ProgramNames<'_> {
    fn function(&self, id: ProcId) -> String {
        self.program.procedures().get(id).map(|it| it.name.clone()).unwrap_or_default()
    }

    fn address(&self, number: u128) -> Option<String> {
        let numbers = self.numbers?;
        let size = |it: &Object| self.layout(it).stride.saturating_mul(it.count);
        let (id, object) = self.objects().find(|(id, it)| {
            let start = numbers.address(*id, 0);
            (start..=start + u128::from(size(it))).contains(&number)
        })?;
        let offset = u64::try_from(number - numbers.address(id, 0)).ok()?;
        // Whatever is written must be read as the same.
        let is_read = |name: &str| {
            matches!(tokens(name).as_deref(), Ok([Token::Name(_)]))
                && self.number(name, false) == Some(number)
        };
        match self.part(object, offset).filter(|it| is_read(it)) {
            Some(name) => Some(format!("&{name}")),
            None => {
                let start = matches!(tokens(&object.name).as_deref(), Ok([Token::Name(_)]));
                start.then(|| format!("((char *)&{} + {offset})", object.name))
            }
        }
    }

    fn number(&self, name: &str, decays: bool) -> Option<u128> {
        let numbers = self.numbers?;
        let plain = name.strip_prefix("::").unwrap_or(name);
        self.objects().find_map(|(id, object)| {
            let suffix = plain.strip_prefix(object.name.as_str())?;
            let is_address = object.count > 1 || object.constant || self.layout(object).cells.is_empty();
            if decays && !(suffix.is_empty() && is_address) {
                return None;
            }
            let offset = self.offset(object, suffix)?;
            Some(numbers.address(id, i64::try_from(offset).ok()?))
        })
    }
}

/// Where a member of an element begins; one that has members itself begins with the first of them.
fn member(layout: &Layout, name: &str) -> Option<u64> {
    if name.is_empty() {
        return Some(0);
    }
    let inside =
        |cell: &&str| cell.strip_prefix(name).is_some_and(|it| it.is_empty() || it.starts_with(['.', '[']));
    let cells = layout.cells.iter().filter(|it| inside(&it.name.as_str()));
    cells.map(|it| it.offset).min()
}
