//! The ways in which engines are asked. They come from the engines' own tables of options, so that a new
//! option is tried as soon as it is there: every engine as it is and without certificates, and each option at
//! both ends of its range.

use base::settings::Allowed;
use base::{Random, Setting, Settings};
use engines::Engine;

/// An engine and its options.
#[derive(Clone)]
pub struct Mode {
    /// Who is asked.
    pub engine: &'static dyn Engine,
    /// What is set.
    pub set: Vec<(&'static str, String)>,
}

impl Mode {
    /// Its name in reports.
    pub fn title(&self) -> String {
        let name = self.engine.name().to_string();
        self.set.iter().fold(name, |title, (name, value)| format!("{title} {name}={value}"))
    }

    /// Its options.
    pub fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        for (name, value) in &self.set {
            verify::set(&mut settings, name, value).expect("it comes from the table");
        }
        settings
    }
}

/// All modes.
pub struct Modes {
    /// Those that every program meets: each engine as it is, and without certificates.
    pub always: Vec<Mode>,
    /// Those of which a program meets some.
    pub others: Vec<Mode>,
}

impl Modes {
    /// From the tables.
    pub fn all() -> Modes {
        let (mut always, mut others) = (vec![], vec![]);
        for &engine in verify::engines() {
            let table = engine.settings();
            always.push(Mode { engine, set: vec![] });
            let certificates = table.iter().filter(|setting| setting.name.contains("certificate"));
            let none: Vec<_> = certificates.map(|setting| (setting.name, least(setting))).collect();
            if !none.is_empty() {
                always.push(Mode { engine, set: none });
            }
            for setting in table.iter().chain(verify::pass_settings()) {
                let ends = ends(setting).into_iter();
                others.extend(ends.map(|value| Mode { engine, set: vec![(setting.name, value)] }));
            }
        }
        Modes { always, others }
    }

    /// Some of the others; a part of them with two options at once and without certificates.
    pub fn some(&self, random: &mut Random, count: usize) -> Vec<Mode> {
        let mut chosen = vec![];
        for _ in 0..count {
            let mut mode = random.pick(&self.others).clone();
            let more = random.pick(&self.others);
            let same = more.engine.name() == mode.engine.name() && more.set[0].0 != mode.set[0].0;
            if same && random.percent(50) {
                mode.set.extend(more.set.clone());
            }
            chosen.push(mode);
        }
        chosen
    }

    /// The modes of one engine alone.
    pub fn only(mut self, name: &str) -> Modes {
        self.always.retain(|mode| mode.engine.name() == name);
        self.others.retain(|mode| mode.engine.name() == name);
        self
    }
}

fn least(setting: &Setting) -> String {
    match setting.allowed {
        Allowed::Number { least, .. } => least.to_string(),
        Allowed::Switch | Allowed::Word(_) | Allowed::Command(_) => "off".to_string(),
    }
}

/// What an option can be set to other than its default; of a range its two ends.
fn ends(setting: &Setting) -> Vec<String> {
    let mut all: Vec<String> = match setting.allowed {
        Allowed::Switch => vec!["on".to_string(), "off".to_string()],
        Allowed::Word(words) | Allowed::Command(words) => words.iter().map(|word| word.to_string()).collect(),
        Allowed::Number { least, most } => vec![least.to_string(), most.to_string()],
    };
    all.retain(|value| value != setting.default);
    all
}
