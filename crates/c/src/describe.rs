//! Cells and values as people read them.

use super::machine::Access;
use super::program::{LocalId, Program};
use super::state::{Instance, Memory, Origin};
use super::types::{CellType, Type, signed};
use super::value::{CellRef, Fragment, Value};
use base::Id;

impl Program {
    /// The name of a cell: `x`, `array[2]`, `node.next`; an allocation is called after its number in the
    /// state.
    pub fn cell_name(&self, memory: &Memory, cell: CellRef) -> String {
        let Some(instance) = memory.get(cell.instance) else {
            return format!("dead object {}", cell.instance.index());
        };
        let layout = &self.layouts()[instance.layout];
        let width = layout.cells.len().max(1);
        let (element, position) = (cell.cell as usize / width, cell.cell as usize % width);
        let mut name = match instance.origin {
            Origin::Declared(object) => self.objects()[object].name.clone(),
            Origin::Allocated(_) | Origin::Freed => format!("allocation {}", cell.instance.index()),
        };
        if let Some(byte) = self.byte_slot(instance, cell.cell) {
            return format!("{name} at byte {byte}");
        }
        if instance.count > 1 {
            name += &format!("[{element}]");
        }
        name + layout.cells.get(position).map_or("", |cell| &cell.name)
    }

    /// The type of a cell; `None` for synchronisation objects and dead ones.
    pub fn cell_type(&self, memory: &Memory, cell: CellRef) -> Option<Type> {
        let instance = memory.get(cell.instance)?;
        if self.byte_slot(instance, cell.cell).is_some() {
            return Some(Type::Bits(8));
        }
        let cells = &self.layouts()[instance.layout].cells;
        match cells.get(cell.cell as usize % cells.len().max(1))?.ty {
            CellType::Scalar(ty) => Some(ty),
            CellType::Sync(..) => None,
        }
    }

    /// The type of what an access read or wrote: bytes that are no cell are a number. `None` for
    /// synchronisation objects.
    pub fn access_type(&self, memory: &Memory, access: Access) -> Option<Type> {
        match access.bytes {
            Some(bytes) => Some(Type::Bits(8 * bytes)),
            None => self.cell_type(memory, access.cell),
        }
    }

    /// The byte of an object that a number after those of its cells stands for.
    pub fn byte_slot(&self, object: &Instance, cell: u32) -> Option<u64> {
        let cells = self.layouts()[object.layout].cells.len() as u64;
        (cells > 0).then(|| u64::from(cell).checked_sub(cells * object.count)).flatten()
    }

    /// The first byte of a cell, and how many it has.
    pub fn cell_extent(&self, object: &Instance, cell: u32) -> Option<(u64, u64)> {
        if let Some(byte) = self.byte_slot(object, cell) {
            return Some((byte, 1));
        }
        let layout = &self.layouts()[object.layout];
        let cells = layout.cells.len() as u64;
        let (element, position) = (u64::from(cell).checked_div(cells)?, u64::from(cell) % cells);
        let shape = &layout.cells[position as usize];
        Some((element * layout.stride + shape.offset, shape.ty.bytes(self.pointer_bits())))
    }

    /// A value of a type.
    pub fn show(&self, memory: &Memory, value: Value, ty: Type, is_signed: bool) -> String {
        match value {
            Value::Bits(bits) => match ty {
                Type::Float => f32::from_bits(bits as u32).to_string(),
                Type::Double => f64::from_bits(bits as u64).to_string(),
                Type::Pointer if bits == 0 => "null".into(),
                Type::Bits(width) if is_signed => signed(bits, width).to_string(),
                Type::Bits(_) | Type::Pointer => bits.to_string(),
            },
            Value::Address { instance, offset } => {
                let start = self.object_name(memory, instance);
                if offset == 0 { format!("&{start}") } else { format!("&{start} + {offset}") }
            }
            Value::Thread(id) => format!("thread {id}"),
            Value::Undetermined => "any".into(),
            Value::Part(Fragment { of, first, bytes, .. }) => {
                let whole = self.show(memory, of.value(), Type::Pointer, false);
                if bytes == 1 {
                    format!("byte {first} of {whole}")
                } else {
                    format!("bytes {first} to {} of {whole}", first + bytes - 1)
                }
            }
            Value::Split => "bytes".into(),
        }
    }

    /// The value of a register.
    pub fn show_local(&self, memory: &Memory, local: LocalId, value: Value) -> String {
        let local = &self.locals()[local];
        self.show(memory, value, local.ty, local.signed)
    }

    fn object_name(&self, memory: &Memory, instance: super::types::InstanceId) -> String {
        match memory.get(instance).map(|object| object.origin) {
            Some(Origin::Declared(object)) => self.objects()[object].name.clone(),
            Some(Origin::Allocated(_)) => format!("allocation {}", instance.index()),
            Some(Origin::Freed) | None => format!("dead object {}", instance.index()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InstanceId, Machine, Options, text};

    #[test]
    fn cells_and_values_have_names() {
        let source = r#"pointer 64 layout 0 stride 4 { 0 b32 "" } layout 1 stride 16 { 0 ptr ".next" 8 b32 ".x" }
            procedure main main main object a static 0 * 3 object n static 1 * 1 object list static 1 * 2 body main () { halt }"#;
        let file = base::SourceMap::new().add("test.cir", source);
        let program = text::parse(source, file).expect("it is valid");
        let memory = Machine::new(&program, Options::default()).start_memory();
        let name = |instance: usize, cell| {
            program.cell_name(&memory, CellRef { instance: InstanceId::from_index(instance), cell })
        };
        assert_eq!(
            [name(0, 2), name(1, 0), name(2, 3), name(9, 0)],
            ["a[2]", "n.next", "list[1].x", "dead object 9"]
        );
        let address = Value::Address { instance: InstanceId::from_index(1), offset: 8 };
        assert_eq!(program.show(&memory, address, Type::Pointer, false), "&n + 8");
        assert_eq!(program.show(&memory, Value::Bits(255), Type::Bits(8), true), "-1");
        assert_eq!(program.show(&memory, Value::Bits(0x3f00_0000), Type::Float, false), "0.5");
        assert_eq!(program.show(&memory, Value::ZERO, Type::Pointer, false), "null");
    }
}
