//! Columns of relations: typed lists of bits, placed in the order of variables row by row.

use base::{Arena, define_id};
use solve::bdd::Level;

define_id!(
    /// A column: one copy of the bits of a sort.
    pub struct Column = "c"
);

/// What the bits of a column stand for; columns are renamed into columns of the same sort only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sort(pub &'static str);

/// Levels and what they are renamed to or compared with.
pub type LevelPairs = Vec<(Level, Level)>;

struct Bits {
    sort: Sort,
    levels: Vec<Level>,
}

/// All columns and the order of their bits.
#[derive(Default)]
pub struct Layout {
    columns: Arena<Column, Bits>,
    next: Level,
}

impl Layout {
    /// A column without bits.
    pub fn column(&mut self, sort: Sort) -> Column {
        self.columns.push(Bits { sort, levels: vec![] })
    }

    /// Adds one bit to each of the columns, next to each other in the order.
    pub fn row(&mut self, columns: &[Column]) {
        for &column in columns {
            self.columns[column].levels.push(self.next);
            self.next += 1;
        }
    }

    /// The levels of a column, in the order of its bits.
    pub fn levels(&self, column: Column) -> &[Level] {
        &self.columns[column].levels
    }

    /// The bits of one column with those of another.
    pub fn pairs(&self, from: Column, to: Column) -> LevelPairs {
        let (from, to) = (&self.columns[from], &self.columns[to]);
        assert_eq!(from.sort, to.sort, "only columns of one sort are compared or renamed");
        assert_eq!(from.levels.len(), to.levels.len(), "columns are filled before they are used");
        from.levels.iter().copied().zip(to.levels.iter().copied()).collect()
    }

    /// Renumbers the bits of columns that were filled in another order than their own: the bit added i-th is
    /// bit `numbers[i]`.
    pub fn permute(&mut self, columns: &[Column], numbers: &[usize]) {
        for &column in columns {
            let added = self.columns[column].levels.clone();
            for (&number, level) in numbers.iter().zip(added) {
                self.columns[column].levels[number] = level;
            }
        }
    }
}
