//! The small models that evidence is read and checked against. Their files are part of the repository.

use base::SourceMap;
use front::dialects::spec::read_spec;
use front::dialects::tts::read_tts;
use front::{ReadOptions, read_program};
use ir::Model;
use std::sync::{Arc, LazyLock};

macro_rules! text {
    ($path:literal) => {
        ($path, include_str!(concat!("../../", $path)))
    };
}

/// Their files, below the root of the repository, and their texts.
pub const MODELS: [(&str, &str); 9] = [
    text!("examples/race.bp"),
    text!("examples/lock.bp"),
    text!("examples/handshake.tts"),
    text!("tests/programs/recursion.bp"),
    text!("tests/programs/clone_keeps_locals.bp"),
    text!("fuzz/models/passive.bp"),
    text!("fuzz/models/population.bp"),
    text!("fuzz/models/sections.bp"),
    text!("fuzz/models/transfers.spec"),
];

static READ: LazyLock<Vec<Model>> = LazyLock::new(|| MODELS.map(|(name, text)| read(name, text)).into());

/// The model that the first byte of an input speaks of: a digit stands for itself.
pub fn model(first: u8) -> &'static Model {
    let digit = usize::from(first.wrapping_sub(b'0'));
    &READ[digit % READ.len()]
}

fn read(name: &str, text: &str) -> Model {
    let mut map = SourceMap::new();
    let file = map.add(name, text);
    let target = ReadOptions { target: Some("2|2,2".to_string()), ..ReadOptions::default() };
    let model = match name.rsplit('.').next() {
        Some("bp") => read_program(&map, file, &ReadOptions::default())
            .map(|(program, _)| Model::Program(Arc::new(program))),
        Some("tts") => read_tts(&map, file, &target, None).map(|(net, _)| Model::Net(Arc::new(net))),
        _ => read_spec(&map, file).map(|(net, _)| Model::Net(Arc::new(net))),
    };
    model.unwrap_or_else(|found| panic!("{name}: {found:?}"))
}
