//! Memory whose addresses are used again, and bit-fields.

use super::maker::Maker;

impl Maker {
    /// One shared pointer to allocations that come and go: what is held of it may be dead, or be another
    /// object by now.
    pub fn reuse(&mut self) {
        match self.random.below(7) {
            0 | 1 => {
                let name = self.allocation();
                self.line(format!("«w slot¦{name}»;"));
            }
            2 => {
                let old = self.fresh("q");
                self.line(format!("int *{old} = «r slot»;"));
                self.line("«w slot¦0»;");
                self.line(format!("«? free¦sv_delete»({old});"));
            }
            3 => {
                let (old, value) = (self.fresh("q"), self.small(true));
                self.line(format!("int *{old} = «r slot»;"));
                self.line(format!("if ({old}) «wp {old}¦{value}»;"));
            }
            4 => {
                let old = self.fresh("q");
                self.line(format!("int *{old} = «r slot»;"));
                self.write_shared();
                self.store(&format!("({old} == «r slot»)"));
                if self.random.percent(50) {
                    self.line(format!("if ({old}) {{"));
                    self.store(&format!("«rp {old}»"));
                    self.line("}");
                }
            }
            5 => {
                let (old, done) = (self.fresh("q"), self.private("0"));
                self.line(format!("int *{old} = «r slot»;"));
                let new = self.allocation();
                self.line(format!("{} = «a3 __sync_bool_compare_and_swap¦&slot¦{old}¦{new}»;", done.place));
                self.line(format!("if ({}) «? free¦sv_delete»({old});", done.place));
            }
            _ => {
                let name = self.allocation();
                self.line(format!("«? free¦sv_delete»({name});"));
                let other = self.allocation();
                self.store(&format!("({name} == {other})"));
            }
        }
    }

    /// A new allocation with a value.
    fn allocation(&mut self) -> String {
        let (name, value) = (self.fresh("p"), 1 + self.random.below(2));
        let bytes = *self.random.pick(&["1, sizeof(int)", "2, sizeof(int)"]);
        self.line(format!("int *{name} = «? calloc({bytes})¦sv_new(8)»;"));
        if self.random.percent(60) {
            self.line(format!("«wp {name}¦{value}»;"));
        }
        name
    }

    pub fn field_globals(&mut self) {
        self.name("flags");
        let signed = *self.random.pick(&["unsigned", "int"]);
        self.line(format!("struct flags {{ unsigned a : 2; {signed} b : 3; unsigned c : 1; }};"));
        self.global("struct flags", "bits", "");
    }

    pub fn fields(&mut self) {
        let field = *self.random.pick(&["a", "b", "c"]);
        match self.random.below(5) {
            0 => self.store(&format!("«br bits¦{field}»")),
            1 => {
                let copy = self.fresh("s");
                let value = self.random.below(9);
                self.line(format!("struct flags {copy} = {{ 1, 2, 1 }};"));
                self.line(format!("{copy}.{field} = {value};"));
                self.store(&format!("{copy}.a + {copy}.b * 2 + {copy}.c"));
            }
            _ => {
                let value = self.small(true);
                self.line(format!("«bw bits¦{field}¦{value}»;"));
            }
        }
    }
}
