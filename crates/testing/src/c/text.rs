//! Source text that grows line by line.

/// Lines with their indentation.
#[derive(Default)]
pub(super) struct Text {
    lines: String,
    depth: usize,
}

impl Text {
    /// Adds a line at the present depth.
    pub fn line(&mut self, line: impl AsRef<str>) {
        self.lines.push_str(&"    ".repeat(self.depth));
        self.lines.push_str(line.as_ref());
        self.lines.push('\n');
    }

    /// Adds a line that opens a block.
    pub fn open(&mut self, line: impl AsRef<str>) {
        self.line(line);
        self.depth += 1;
    }

    /// Adds a line that closes the block.
    pub fn close(&mut self, line: impl AsRef<str>) {
        self.depth = self.depth.saturating_sub(1);
        self.line(line);
    }

    /// Adds a line that closes one block and opens the next.
    pub fn reopen(&mut self, line: impl AsRef<str>) {
        self.close(line);
        self.depth += 1;
    }

    /// The whole text.
    pub fn finish(self) -> String {
        self.lines
    }
}
