//! `selvedge engines`: what there is, from the engines' own tables.

use base::Setting;
use std::fmt::Write;

/// The list.
pub fn list() -> String {
    let mut out = String::new();
    for engine in verify::engines() {
        let _ = writeln!(out, "{}\n  {}\n  {}", engine.name(), engine.about(), engine.paper());
        settings(&mut out, engine.settings());
        out.push('\n');
    }
    let passes = verify::pass_settings();
    if !passes.is_empty() {
        out.push_str("passes\n  simplify the program before any engine sees it\n");
        settings(&mut out, passes);
        out.push('\n');
    }
    out.push_str("properties of C programs\n  what --property means in detail\n");
    settings(&mut out, verify::property_settings());
    out.push('\n');
    out.push_str("Analyses of C programs, which --way names:\n");
    for way in verify::c::engines() {
        let _ = writeln!(out, "  {}: {}", way.name(), way.about());
        settings(&mut out, way.settings());
    }
    out.push('\n');
    out.push_str(
        "auto (the default) asks the engines in this order. Options are set with --set NAME=VALUE.\n",
    );
    out
}

fn settings(out: &mut String, table: &[Setting]) {
    for setting in table {
        let _ = writeln!(out, "    {}={}  ({})", setting.name, setting.default, setting.allowed);
        let paper = if setting.paper.is_empty() { String::new() } else { format!(" [{}]", setting.paper) };
        let _ = writeln!(out, "        {}{paper}", setting.help);
    }
}
