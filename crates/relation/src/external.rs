//! What a function that nobody defines does with memory ([`c::reach`]): whatever is followed and has an
//! address may get any value, which is more than the function can do.

use super::maker::Maker;
use super::memory::Content;
use super::symbolic::Path;
use c::reach::{Reach, ReachKind};

impl Maker<'_> {
    /// A step of an external function.
    pub fn external(&mut self, path: &mut Path, reach: &Reach) {
        match reach.kind {
            ReachKind::Count(local) | ReachKind::Pick(local) => {
                let any = self.choose(path, self.variables[local].ty);
                self.write(path, local, any);
            }
            ReachKind::Write(_) => self.write_anywhere(path),
        }
    }

    fn write_anywhere(&mut self, path: &mut Path) {
        let keys: Vec<_> = self.pointer_slots().map(|slot| slot.key).collect();
        for key in keys {
            if let Content::Scalar(variable, ty) = self.cells[&key] {
                let any = self.choose(path, ty);
                self.write(path, variable, any);
            }
        }
    }
}
