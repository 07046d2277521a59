//! Functions that read from the world: any values where their arguments point to.

use ir::c::{ChoiceOrigin, ExprId, OriginKind};

use super::super::hir;
use super::super::normalise::Normaliser;
use super::super::types::TypeId;

impl Normaliser<'_> {
    /// `scanf` and its like.
    pub(super) fn file_call(&mut self, name: &str, arguments: &[hir::ExprId], ty: TypeId) -> Option<ExprId> {
        let skip = match name {
            "scanf" | "__isoc99_scanf" => 1,
            "sscanf" | "fscanf" | "__isoc99_sscanf" | "__isoc99_fscanf" => 2,
            "gettimeofday" | "clock_gettime" => usize::from(name == "clock_gettime"),
            "snprintf" | "sprintf" | "vsnprintf" | "vsprintf" => {
                self.refuse(format!("the function `{name}`"));
                return Some(self.any_constant(ty));
            }
            _ => return None,
        };
        let origin = ChoiceOrigin::new(OriginKind::Input, name);
        let values = self.arguments(arguments);
        for value in values.into_iter().skip(skip) {
            self.scribble(&origin, value);
        }
        let scalar = self.scalar_of(ty)?;
        Some(self.any_from(&origin, scalar, None))
    }
}
