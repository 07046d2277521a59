//! Our own small headers, embedded in the binary: they come before the system's, so that programs read the
//! same everywhere, and fast.

/// A header of ours: the name that programs include it with, and its text.
pub type Header = (&'static str, &'static str);

/// The headers that a text may include, with what these include: all of them where that is not plain to see.
/// Writing 33 files for a program that includes two took longer than preprocessing it.
pub fn needed(text: &str) -> Vec<Header> {
    let mut found: Vec<Header> = vec![];
    let mut open = vec![text];
    while let Some(text) = open.pop() {
        let Some(names) = plain_includes(text) else { return HEADERS.to_vec() };
        for name in names {
            let Some(header) = HEADERS.iter().find(|(own, _)| *own == name) else { return HEADERS.to_vec() };
            if !found.contains(header) {
                found.push(*header);
                open.push(header.1);
            }
        }
    }
    found
}

/// The names in directives `#include <name>`, each on a line of its own. None where the text may include in
/// any other way: the word elsewhere, a word that goes on in the next line, other spellings of `#`.
fn plain_includes(text: &str) -> Option<Vec<&str>> {
    let splits_word = |line: &str| {
        let before = line.trim_end().strip_suffix('\\');
        before.is_some_and(|before| !before.ends_with(' '))
    };
    if ["%:", "??", "import"].iter().any(|mark| text.contains(mark)) || text.lines().any(splits_word) {
        return None;
    }
    text.lines().filter(|line| line.contains("include")).map(plain_include).collect()
}

fn plain_include(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
    let (name, rest) = rest.trim_start().strip_prefix('<')?.split_once('>')?;
    (!rest.contains("include")).then_some(name)
}

/// The headers by the names that programs include them with.
pub const HEADERS: &[Header] = &[
    ("alloca.h", include_str!("../headers/alloca.h")),
    ("assert.h", include_str!("../headers/assert.h")),
    ("ctype.h", include_str!("../headers/ctype.h")),
    ("errno.h", include_str!("../headers/errno.h")),
    ("float.h", include_str!("../headers/float.h")),
    ("goblint.h", include_str!("../headers/goblint.h")),
    ("inttypes.h", include_str!("../headers/inttypes.h")),
    ("limits.h", include_str!("../headers/limits.h")),
    ("malloc.h", include_str!("../headers/malloc.h")),
    ("math.h", include_str!("../headers/math.h")),
    ("memory.h", include_str!("../headers/memory.h")),
    ("pthread.h", include_str!("../headers/pthread.h")),
    ("sched.h", include_str!("../headers/sched.h")),
    ("selvedge/pthreadtypes.h", include_str!("../headers/selvedge/pthreadtypes.h")),
    ("selvedge/timespec.h", include_str!("../headers/selvedge/timespec.h")),
    ("semaphore.h", include_str!("../headers/semaphore.h")),
    ("smack.h", include_str!("../headers/smack.h")),
    ("stdalign.h", include_str!("../headers/stdalign.h")),
    ("stdarg.h", include_str!("../headers/stdarg.h")),
    ("stdatomic.h", include_str!("../headers/stdatomic.h")),
    ("stdbool.h", include_str!("../headers/stdbool.h")),
    ("stddef.h", include_str!("../headers/stddef.h")),
    ("stdint.h", include_str!("../headers/stdint.h")),
    ("stdio.h", include_str!("../headers/stdio.h")),
    ("stdlib.h", include_str!("../headers/stdlib.h")),
    ("stdnoreturn.h", include_str!("../headers/stdnoreturn.h")),
    ("string.h", include_str!("../headers/string.h")),
    ("strings.h", include_str!("../headers/strings.h")),
    ("sys/time.h", include_str!("../headers/sys/time.h")),
    ("sys/types.h", include_str!("../headers/sys/types.h")),
    ("threads.h", include_str!("../headers/threads.h")),
    ("time.h", include_str!("../headers/time.h")),
    ("unistd.h", include_str!("../headers/unistd.h")),
];

#[cfg(test)]
mod tests {
    use super::{HEADERS, needed};

    fn names(text: &str) -> Vec<&'static str> {
        let mut names: Vec<_> = needed(text).into_iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn what_plain_directives_name_is_enough() {
        assert_eq!(names("int x;\n"), Vec::<&str>::new());
        assert_eq!(names(" # include <assert.h> // why\nint x;\n"), ["assert.h"]);
        assert_eq!(
            names("#include <malloc.h>\n"),
            ["malloc.h", "selvedge/pthreadtypes.h", "stddef.h", "stdint.h", "stdlib.h", "sys/types.h"]
        );
    }

    #[test]
    fn our_headers_are_plain() {
        for (name, text) in HEADERS {
            assert!(needed(text).len() < HEADERS.len(), "{name}");
        }
    }

    #[test]
    fn anything_else_needs_all() {
        let texts = [
            "#include \"mine.h\"\n",
            "#include <sys/mman.h>\n",
            "#include HEADER\n",
            "#inc\\\nlude <assert.h>\n",
            "#inc\\ \nlude <assert.h>\n",
            "%:include <assert.h>\n",
            "??=include <assert.h>\n",
            "#/**/include <assert.h>\n",
            "#import <assert.h>\n",
            "#include_next <assert.h>\n",
            "#if __has_include(<assert.h>)\n#endif\n",
            "#include <assert.h> /*\n*/ #include <time.h>\n",
        ];
        for text in texts {
            assert_eq!(needed(text).len(), HEADERS.len(), "{text}");
        }
    }
}
