//! Values that are chosen on behalf of a function: an input, an approximation or what nobody defines. The
//! origin stays with each choice, so that one can ask what an error rests on.

use ::c::{CellType, ChoiceOrigin, ExprId, LocalId, Op, Range, Type as Scalar};

use super::super::normalise::{Normaliser, Spot};
use super::super::types::TypeId;

/// More cells than these are not written one by one.
const MOST_CELLS: u64 = 1_024;

impl Normaliser<'_> {
    /// Any value of a scalar type, within a range if there is one, on behalf of a function.
    pub fn any_from(&mut self, origin: &ChoiceOrigin, ty: Scalar, range: Option<Range>) -> ExprId {
        let local = self.temporary(ty);
        self.choose(Some(origin), local, range);
        self.pool.read(local)
    }

    /// Gives a register any value, within a range if there is one.
    pub(super) fn choose(&mut self, origin: Option<&ChoiceOrigin>, local: LocalId, range: Option<Range>) {
        let origin = origin.map(|it| self.pool.origin(it.clone()));
        self.emit(Op::Choose { local, range, origin });
    }

    /// Any values in all cells of a type, one step a cell. Without origin they are inputs of the program
    /// itself.
    pub(super) fn any_cells(&mut self, origin: Option<&ChoiceOrigin>, spot: Spot, ty: TypeId) {
        let Ok(shape) = self.shape(ty) else { return };
        if shape.len() > MOST_CELLS {
            return self.refuse("any values for a large object");
        }
        let origin = origin.map(ChoiceOrigin::stored);
        for (offset, cell) in shape.cells() {
            // Synchronisation objects are left alone: what they are is not the business of an unknown
            // function.
            let CellType::Scalar(scalar) = cell else { continue };
            let mark = self.mark();
            let local = self.temporary(scalar);
            self.choose(origin.as_ref(), local, None);
            let value = self.pool.read(local);
            self.store_cell(spot.at(offset, ty), value);
            self.release(mark);
        }
    }
}
