//! Initialisers that name a part twice: the last one counts. Where it is only a part of what an earlier one
//! gives, compilers differ, and whether an earlier one that has effects is evaluated is unspecified: both are
//! refused.

use base::Span;

use super::super::hir::{ExprId, ExprKind, InitCell, PlaceKind};
use super::Checker;
use super::init::Filler;

impl Checker {
    /// A cell that is added to an initialiser, with what it overrides in mind.
    pub(super) fn overriding(&mut self, cell: InitCell, span: Span, filler: &mut Filler) -> InitCell {
        let (start, end) = self.bits_of(&cell);
        let before = filler.taken.range(..start).next_back().filter(|(_, (last, _))| *last > start);
        let inside = filler.taken.range(start..end);
        let hit: Vec<(u64, u64, usize)> =
            before.into_iter().chain(inside).map(|(first, (last, at))| (*first, *last, *at)).collect();
        let whole = hit
            .iter()
            .all(|&(first, last, at)| start <= first && last <= end && self.is_plain(filler.cells[at].value));
        for (first, ..) in &hit {
            filler.taken.remove(first);
        }
        if end > start {
            filler.taken.insert(start, (end, filler.cells.len()));
        }
        if whole {
            return cell;
        }
        let value = self.refused(
            "an initialiser that overrides another one in part, or one with effects",
            cell.ty,
            span,
        );
        InitCell { value, ..cell }
    }

    /// The bits that a cell covers, from the start of the object.
    fn bits_of(&self, cell: &InitCell) -> (u64, u64) {
        let start = cell.offset.saturating_mul(8);
        match cell.bits {
            Some(bits) => {
                let start = start.saturating_add(u64::from(bits.start));
                (start, start.saturating_add(u64::from(bits.width)))
            }
            None => {
                let size = self.program.types.size(cell.ty).unwrap_or(1);
                (start, start.saturating_add(size.saturating_mul(8)))
            }
        }
    }

    /// Whether evaluating a value does nothing else.
    fn is_plain(&self, value: ExprId) -> bool {
        let mut e = value;
        loop {
            match self.program.exprs[e].kind {
                ExprKind::Cast(_, inner) => e = inner,
                ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::FunctionAddress(_) => return true,
                ExprKind::Load(place) | ExprKind::AddressOf(place) | ExprKind::Decay(place) => {
                    return matches!(
                        self.program.places[place].kind,
                        PlaceKind::Variable(_) | PlaceKind::String(_)
                    );
                }
                _ => return false,
            }
        }
    }
}
