//! Report pages in a real browser: keys are pressed, and what the page shows is read back. Without a browser
//! a test says so and passes, but not where `CI` is set.

mod page;

use page::Page;
use serde_json::json;
use testing::browser::Screen;

const WIDE: Screen = Screen { width: 2000, height: 1100, dark: false };
const NARROW: Screen = Screen { width: 400, height: 850, dark: false };

/// What the counter says.
const COUNTER: &str = "document.querySelector('#counter strong').textContent";

/// The text of the line of the source that the page is at.
const LINE: &str = "document.querySelector('.source .line.current code').textContent.trim()";

/// The same of the step.
const STEP: &str = "document.querySelector('.step [aria-current=step] .statement').textContent.trim()";

#[test]
fn a_run_of_a_boolean_program_is_gone_through_by_keys() {
    let Some(mut page) = Page::of_file("bp", "examples/race.bp", &[]) else { return };
    page.browser.look(WIDE);
    assert_eq!(page.verdict(), "Unsafe");
    let last: usize = page.number("document.querySelector('input[type=range]').max");
    assert_eq!(page.browser.text(COUNTER), format!("Step {last} of {last}"), "it opens at the error");
    page.browser.press("Home", false);
    assert_eq!(page.browser.text(COUNTER), format!("Step 0 of {last}"));
    page.browser.press("ArrowRight", false);
    assert_eq!(page.browser.text(COUNTER), format!("Step 1 of {last}"));
    assert_eq!(page.browser.text(LINE), "taken, inside := 0, 0;");
    for _ in 0..3 {
        page.browser.press("ArrowRight", false);
    }
    assert_eq!(page.browser.text(LINE), page.browser.text(STEP) + ";", "both mark the same step");
    page.browser.press("ArrowLeft", false);
    assert_eq!(page.browser.text(COUNTER), format!("Step 3 of {last}"));
    page.browser.press("End", false);
    assert_eq!(page.browser.text(LINE), "assert(!inside);");
    assert!(page.browser.text("document.querySelector('.line.current').className").contains("error"));
    // A switch back is one of the steps that begin a turn.
    page.browser.press("ArrowLeft", true);
    let switch = "document.querySelector('.step.switch [aria-current=step]') !== null";
    assert_eq!(page.browser.evaluate(switch), json!(true));
    page.is_quiet();
}

#[test]
fn steps_are_chosen_by_click_and_slider() {
    let Some(mut page) = Page::of_file("click", "examples/race.bp", &[]) else { return };
    page.browser.look(WIDE);
    page.browser.click(".step:nth-child(3) button");
    assert!(page.browser.text(COUNTER).starts_with("Step 2 of "));
    let focused = "document.activeElement.getAttribute('aria-current')";
    assert_eq!(page.browser.text(focused), "step", "the step that was clicked has the focus");
    page.browser.press("ArrowDown", false);
    assert!(page.browser.text(COUNTER).starts_with("Step 3 of "));
    page.browser.click("button[aria-label^='First step']");
    assert!(page.browser.text(COUNTER).starts_with("Step 0 of "));
    page.browser.evaluate("document.querySelector('input[type=range]').focus()");
    page.browser.press("ArrowRight", false);
    assert!(page.browser.text(COUNTER).starts_with("Step 1 of "), "one step, not two");
    let spoken = "document.querySelector('input[type=range]').getAttribute('aria-valuetext')";
    assert!(page.browser.text(spoken).starts_with("Step 1 of "));
    page.browser.click(".minimap");
    assert!(!page.browser.text(COUNTER).starts_with("Step 1 of "), "the minimap is clicked");
    page.is_quiet();
}

#[test]
fn only_what_a_step_changes_is_marked() {
    let Some(mut page) = Page::of_file("changes", "examples/race.bp", &[]) else { return };
    page.browser.look(WIDE);
    page.browser.press("Home", false);
    let changed = "document.querySelectorAll('.values .changed').length";
    assert_eq!(page.browser.evaluate(changed), json!(0), "nothing changes before the first step");
    let total = page.number("document.querySelector('input[type=range]').max");
    let mut marked = 0;
    for _ in 0..total {
        page.browser.press("ArrowRight", false);
        let effects = page.browser.text(
            "(document.querySelector('.step [aria-current=step] .effects') || { textContent: '' }).textContent",
        );
        let names = page
            .browser
            .text("[...document.querySelectorAll('.values .changed th')].map((it) => it.textContent).join()");
        for name in names.split(',').filter(|it| !it.is_empty()) {
            assert!(effects.contains(&format!("{name} = ")), "{name} is marked, and the step: {effects}");
            marked += 1;
        }
    }
    assert!(marked >= 2, "{marked} values are marked");
}

#[test]
fn memory_is_drawn_where_the_run_allocates() {
    let Some(mut page) = Page::of_program("stack", "stack.c", &[]) else { return };
    page.browser.look(WIDE);
    assert_eq!(page.verdict(), "Unsafe");
    let boxes = "document.querySelectorAll('.memory .box').length";
    let arrows = "document.querySelectorAll('.memory .arrow').length";
    assert!(page.number(boxes) >= 2, "two nodes");
    assert!(page.number(arrows) >= 2, "top, and next");
    page.browser.press("Home", false);
    assert_eq!(page.number(boxes), 0);
    let words = page.browser.text("document.querySelector('.values').textContent");
    assert!(words.contains("top"), "{words}");
    page.is_quiet();
}

#[test]
fn a_race_shows_both_accesses() {
    let Some(mut page) = Page::of_program("race", "race.c", &["race"]) else { return };
    page.browser.look(WIDE);
    assert_eq!(page.verdict(), "Unsafe");
    assert_eq!(page.number("document.querySelectorAll('.race .access').length"), 2);
    let both = page.browser.text("document.querySelector('.race').textContent");
    assert!(both.contains("write") && both.contains("read") && both.contains("holds"), "{both}");
    assert!(page.number("document.querySelectorAll('.source .line.error').length") == 2, "both lines");
    let (left, right) = (
        page.number("Math.round(document.querySelectorAll('.access')[0].getBoundingClientRect().top)"),
        page.number("Math.round(document.querySelectorAll('.access')[1].getBoundingClientRect().top)"),
    );
    assert_eq!(left, right, "side by side");
    page.is_quiet();
}

#[test]
fn a_deadlock_shows_who_waits_for_whom() {
    let Some(mut page) = Page::of_program("deadlock", "deadlock.c", &["deadlock"]) else { return };
    page.browser.look(WIDE);
    assert_eq!(page.verdict(), "Unsafe");
    assert_eq!(page.number("document.querySelectorAll('.ring circle').length"), 3);
    let label = page.browser.text("document.querySelector('.ring').getAttribute('aria-label')");
    assert!(label.matches("waits for mutex fork_").count() == 3, "{label}");
    page.is_quiet();
}

#[test]
fn a_proof_shows_its_predicates_and_invariants() {
    let file = "tests/sapa/01_increment_lock_safe.c";
    let Some(mut page) = Page::of_engine("proof", file, "abstract") else { return };
    page.browser.look(WIDE);
    assert_eq!(page.verdict(), "Safe");
    let facts = page.browser.text("document.querySelector('.proof').textContent");
    for text in ["any number of threads", "abstract", "width", "checker of formulas", "selvedge confirm"] {
        assert!(facts.contains(text), "{text}: {facts}");
    }
    assert!(page.number("document.querySelectorAll('.predicates li').length") >= 1);
    let formula = page.browser.text("document.querySelector('.formula').textContent");
    assert!(formula.contains("==") || formula.contains("!=") || formula.contains('<'), "{formula}");
    let before = page.browser.text("document.querySelector('.told .where').textContent");
    page.browser.evaluate("document.querySelector('.proved .code').focus()");
    page.browser.press("ArrowDown", false);
    assert_ne!(page.browser.text("document.querySelector('.told .where').textContent"), before);
    page.browser.click(".predicates li button:enabled");
    assert!(page.number("document.querySelectorAll('.line.matters').length") >= 1);
    page.is_quiet();
}

#[test]
fn an_unknown_tells_what_to_try() {
    let Some(mut page) = Page::of_engine("unknown", "examples/race.bp", "modular") else { return };
    page.browser.look(WIDE);
    assert_eq!(page.verdict(), "Unknown");
    assert!(page.number("document.querySelectorAll('.reasons li').length") >= 1);
    assert!(page.number("document.querySelectorAll('.advice li').length") >= 1);
    let known = page.browser.text("document.querySelector('.reasons').textContent");
    assert!(known.contains("what 3 threads can look like together is no proof"), "{known}");
    page.is_quiet();
}

#[test]
fn a_file_that_cannot_be_used_is_told() {
    let Some(mut page) = Page::of_text("bad", "bad.bp", "void main() begin\n  x := 1;\nend\n", &[]) else {
        return;
    };
    assert_eq!(page.verdict(), "No verdict");
    let found = page.browser.text("document.querySelector('.findings').textContent");
    assert!(found.contains("error") && found.contains("bad.bp:2"), "{found}");
    page.is_quiet();
}

#[test]
fn no_text_of_a_file_is_markup() {
    let name = "<img src=x onerror=document.title='owned'>\"'&]]>--!.c";
    let text = include_str!("programs/hostile.c");
    let Some(mut page) = Page::of_text("hostile", name, text, &[]) else { return };
    assert_eq!(page.verdict(), "Unsafe");
    assert!(page.browser.text("document.title").contains("<img src=x onerror="));
    assert!(page.browser.text("document.querySelector('.head .file code').textContent").ends_with(name));
    assert_eq!(page.number("document.querySelectorAll('img').length"), 0);
    assert_eq!(page.number("document.querySelectorAll('script').length"), 2, "the data and the script");
    let source = page.browser.text("document.querySelector('.source .lines').textContent");
    assert!(source.contains("</script><script>document.title = \"owned\"</script> <!-- ]]>"), "{source}");
    page.is_quiet();
}

#[test]
fn the_page_loads_nothing() {
    let Some(mut page) = Page::of_file("policy", "examples/race.bp", &[]) else { return };
    let tries = "Promise.allSettled([
        fetch('http://127.0.0.1:9/a'),
        new Promise((yes, no) => { const it = new Image(); it.onload = yes; it.onerror = no; it.src = 'http://127.0.0.1:9/b.png'; }),
        new Promise((yes, no) => { const it = document.createElement('script'); it.textContent = 'window.owned = 1'; document.body.append(it); window.owned ? yes() : no(); }),
    ]).then((all) => all.map((it) => it.status).join())";
    assert_eq!(page.browser.text(tries), "rejected,rejected,rejected");
    assert_eq!(page.browser.evaluate("window.owned === undefined"), json!(true));
    let others: Vec<&String> = page.browser.requests().iter().filter(|it| !it.starts_with("file:")).collect();
    assert!(others.iter().all(|it| it.starts_with("http://127.0.0.1:9/")), "{others:?}");
}

#[test]
fn nothing_is_wider_than_a_telephone() {
    let programs = [("stack.c", ""), ("race.c", "race"), ("deadlock.c", "deadlock")];
    for (file, property) in programs {
        let property: Vec<&str> = Some(property).filter(|it| !it.is_empty()).into_iter().collect();
        let Some(mut page) = Page::of_program("narrow", file, &property) else { return };
        page.browser.look(NARROW);
        let wide = page.number("document.documentElement.scrollWidth");
        assert!(wide <= 400, "{file}: {wide} pixels");
        let small = "[...document.querySelectorAll('.buttons button')].filter((it) => it.getBoundingClientRect().width < 24).length";
        assert_eq!(page.number(small), 0, "buttons are large enough for a finger");
    }
}

#[test]
fn everything_has_a_name_for_screen_readers() {
    let Some(mut page) = Page::of_program("names", "race.c", &["race"]) else { return };
    let nameless = "[...document.querySelectorAll('button, section, input, [role=region], svg:not([aria-hidden])')]
        .filter((it) => !it.getAttribute('aria-label') && !it.getAttribute('aria-labelledby') && !it.textContent.trim())
        .map((it) => it.outerHTML.slice(0, 80)).join()";
    assert_eq!(page.browser.text(nameless), "");
    for landmark in ["header", "main", "footer"] {
        assert_eq!(page.number(&format!("document.querySelectorAll('body > * > {landmark}').length")), 1);
    }
    let live = page.browser.text("document.getElementById('counter').getAttribute('aria-live')");
    assert_eq!(live, "polite");
    // The first stop leads past the head.
    page.browser.evaluate("document.body.focus()");
    page.browser.press("Tab", false);
    assert_eq!(page.browser.text("document.activeElement.className"), "skip");
}
