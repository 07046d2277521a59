//! What a batch was asked to do: kept beside its rows, so that no other batch goes on with them.

use crate::batch::Task;
use serde::{Deserialize, Serialize};

/// What the file says that it is.
const SCHEMA: &str = "selvedge-batch/1";

/// What a batch was asked to do.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BatchRequest {
    /// The kind of the file.
    pub schema: String,
    /// The version of the tool and a digest of its binary.
    pub program: String,
    /// The options of `check`, in the order of their table.
    pub options: Vec<String>,
    /// The folder in which it was started: paths may be relative.
    pub folder: String,
    /// The number of all tasks, those of other shards too.
    pub tasks: usize,
    /// A digest of all tasks.
    pub list: String,
    /// The number of the shard, from 1, and of all shards.
    pub shard: Option<(usize, usize)>,
}

impl BatchRequest {
    /// A request about these tasks; the rest is to be filled in.
    pub fn about(tasks: &[Task]) -> BatchRequest {
        let mut digest = Digest::default();
        for task in tasks {
            digest.add(task.file.as_bytes());
            task.args.iter().for_each(|word| digest.add(word.as_bytes()));
            digest.add(task.expected.map_or("", |it| it.word()).as_bytes());
        }
        BatchRequest {
            schema: SCHEMA.to_string(),
            program: String::new(),
            options: vec![],
            folder: String::new(),
            tasks: tasks.len(),
            list: digest.shown(),
            shard: None,
        }
    }

    /// The file's text.
    pub fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data can always be written");
        text.push('\n');
        text
    }

    /// Reads the file's text.
    pub fn read(text: &str) -> Result<BatchRequest, String> {
        let request: BatchRequest = serde_json::from_str(text).map_err(|why| why.to_string())?;
        if request.schema != SCHEMA {
            return Err(format!("it is of the kind `{}`", request.schema));
        }
        Ok(request)
    }

    /// How this request differs from one that was kept, if it does.
    pub fn difference(&self, kept: &BatchRequest) -> Option<String> {
        if self.options != kept.options {
            let shown = |options: &[String]| match options {
                [] => "no options".to_string(),
                options => format!("`{}`", options.join(" ")),
            };
            return Some(format!("it was with {}, not {}", shown(&kept.options), shown(&self.options)));
        }
        let shard = |it: Option<(usize, usize)>| match it {
            Some((number, all)) => format!("shard {number}/{all}"),
            None => "no shard".to_string(),
        };
        if self.shard != kept.shard {
            return Some(format!("it was {}, not {}", shard(kept.shard), shard(self.shard)));
        }
        if self.folder != kept.folder {
            return Some(format!("it was started in `{}`, not in `{}`", kept.folder, self.folder));
        }
        if (self.tasks, &self.list) != (kept.tasks, &kept.list) {
            let (now, then) = (self.tasks, kept.tasks);
            return Some(format!("it was about another list of files ({then} then, {now} now)"));
        }
        let program = || format!("it was done by {}, this is {}", kept.program, self.program);
        (self.program != kept.program).then(program)
    }
}

/// A digest that says whether two lists are the same; nobody is kept from making two with the same.
#[derive(Clone, Copy, Debug)]
pub struct Digest(u64);

impl Default for Digest {
    fn default() -> Digest {
        Digest(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    /// Adds one part.
    pub fn add(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.mix(u64::from_le_bytes(word.try_into().expect("eight bytes")));
        }
        let mut last = [0; 8];
        last[..words.remainder().len()].copy_from_slice(words.remainder());
        self.mix(u64::from_le_bytes(last));
        self.mix(bytes.len() as u64);
    }

    fn mix(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
    }

    /// The digest in hexadecimal digits.
    pub fn shown(self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(file: &str, args: &[&str]) -> Task {
        let args = args.iter().map(|it| it.to_string()).collect();
        Task { file: file.to_string(), args, ..Task::default() }
    }

    #[test]
    fn another_request_is_told_apart() {
        let request = BatchRequest::about(&[task("a", &["-x"])]);
        assert_eq!(BatchRequest::read(&request.text()).as_ref(), Ok(&request));
        assert_eq!(request.difference(&request), None);
        let others = [
            BatchRequest::about(&[task("a", &[]), task("-x", &[])]),
            BatchRequest { options: vec!["--all".to_string()], ..request.clone() },
            BatchRequest { shard: Some((1, 2)), ..request.clone() },
            BatchRequest { program: "2".to_string(), ..request.clone() },
            BatchRequest { folder: "/".to_string(), ..request.clone() },
        ];
        let shown: Vec<String> = others.iter().filter_map(|it| it.difference(&request)).collect();
        assert_eq!(shown.len(), others.len());
        assert!(shown[0].contains("1 then, 2 now") && shown[2].contains("no shard, not shard 1/2"));
        assert!(BatchRequest::about(&[task("ab", &[])]).list != BatchRequest::about(&[task("ba", &[])]).list);
    }
}
