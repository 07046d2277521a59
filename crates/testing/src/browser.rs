//! A headless browser for tests of pages: keys are pressed and elements clicked as a user does it, and what
//! the page shows is read back. It is driven by the DevTools protocol through two pipes, so that no port is
//! opened and no library is needed.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A browser that does not answer for so long is stuck.
const LONGEST: Duration = Duration::from_secs(120);

/// Names of browsers that know the protocol.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// What keeps a browser to itself: no window, no updates, nothing asked of anybody.
const FLAGS: [&str; 14] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
    "about:blank",
];

/// How a page is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Screen {
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
    /// Whether the user prefers dark colours.
    pub dark: bool,
}

/// A browser with one page.
pub struct Browser {
    process: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    profile: PathBuf,
    session: Option<String>,
    next: u64,
    requests: Vec<String>,
    problems: Vec<String>,
}

impl Browser {
    /// The browser of this machine, if there is one.
    pub fn find() -> Option<PathBuf> {
        let folders = std::env::var_os("PATH")?;
        let folders: Vec<PathBuf> = std::env::split_paths(&folders).collect();
        NAMES.iter().flat_map(|name| folders.iter().map(move |it| it.join(name))).find(|it| it.is_file())
    }

    /// Starts a browser with an empty page. `name` tells its profile from those of others.
    pub fn start(program: &Path, name: &str) -> Browser {
        let profile = std::env::temp_dir().join(format!("selvedge-browser-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&profile).expect("a folder for the browser");
        // The protocol speaks through descriptors 3 and 4.
        let script = "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null";
        let mut process = Command::new("sh")
            .args(["-c", script])
            .arg(program)
            .arg(format!("--user-data-dir={}", profile.display()))
            .args(FLAGS)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the browser starts");
        let input = process.stdin.take().expect("a pipe");
        let output = process.stdout.take().expect("a pipe");
        let (send, messages) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(output).split(0).map_while(Result::ok) {
                let Ok(message) = serde_json::from_slice(&message) else { continue };
                if send.send(message).is_err() {
                    return;
                }
            }
        });
        let (session, next, requests, problems) = (None, 1, vec![], vec![]);
        let mut browser = Browser { process, input, messages, profile, session, next, requests, problems };
        browser.attach();
        browser
    }

    fn attach(&mut self) {
        let page = self.call("Target.createTarget", json!({ "url": "about:blank" }));
        let target = json!({ "targetId": page["targetId"], "flatten": true });
        let session = self.call("Target.attachToTarget", target);
        self.session = session["sessionId"].as_str().map(str::to_string);
        for domain in ["Page", "Runtime", "Network", "Log"] {
            self.call(&format!("{domain}.enable"), json!({}));
        }
    }

    /// Opens a file, with what follows its name in the address, and waits until it is there.
    pub fn open(&mut self, file: &Path, hash: &str) {
        let path: String = file.to_string_lossy().bytes().map(in_address).collect();
        // Another part of the same page alone would load nothing.
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        self.wait_for("Page.loadEventFired");
        self.requests.clear();
        self.call("Page.navigate", json!({ "url": format!("file://{path}{hash}") }));
        self.wait_for("Page.loadEventFired");
    }

    /// Sets the size of the window and the colours that the user prefers.
    pub fn look(&mut self, screen: Screen) {
        let Screen { width, height, dark } = screen;
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
        let value = if dark { "dark" } else { "light" };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.call("Emulation.setEmulatedMedia", features);
    }

    /// The value of an expression in the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let request = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", request);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// The same as text.
    pub fn text(&mut self, expression: &str) -> String {
        self.evaluate(expression).as_str().unwrap_or_default().to_string()
    }

    /// Presses a key and lets it go; `shift` is held meanwhile.
    pub fn press(&mut self, key: &str, shift: bool) {
        let code = match key {
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "Home" => 36,
            "End" => 35,
            "Tab" => 9,
            "Enter" => 13,
            other => panic!("{other} is a key that no test presses"),
        };
        for kind in ["keyDown", "keyUp"] {
            let event = json!({
                "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code,
                "modifiers": if shift { 8 } else { 0 }, "text": if key == "Enter" { "\r" } else { "" },
            });
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Clicks into the middle of the first element that a selector names, when it is in sight.
    pub fn click(&mut self, selector: &str) {
        let place = self.evaluate(&format!(
            "(() => {{ const it = document.querySelector({}); it.scrollIntoView({{ block: 'center' }}); \
             const box = it.getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2]; }})()",
            json!(selector)
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({
                "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1,
            });
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// A picture of what the window shows, or of the whole page, as PNG.
    pub fn picture(&mut self, whole: bool) -> Vec<u8> {
        let mut request = json!({ "format": "png", "captureBeyondViewport": whole });
        if whole {
            let size = self.evaluate("[innerWidth, document.documentElement.scrollHeight]");
            request["clip"] = json!({ "x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1 });
        }
        let answer = self.call("Page.captureScreenshot", request);
        base64(answer["data"].as_str().expect("a picture"))
    }

    /// The addresses that were asked for since the page was opened, the page among them.
    pub fn requests(&self) -> &[String] {
        &self.requests
    }

    /// Errors that the page or the browser told.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        let id = self.next;
        self.next += 1;
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.input.write_all(&bytes).expect("the browser reads");
        let answer = self.hear(|it| it["id"] == json!(id));
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    fn wait_for(&mut self, event: &str) {
        self.hear(|it| it["method"] == json!(event));
    }

    /// Hears messages up to the one that is waited for.
    fn hear(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.messages.recv_timeout(LONGEST).expect("the browser answers");
            let parameters = &message["params"];
            match message["method"].as_str() {
                Some("Network.requestWillBeSent") => {
                    self.requests.extend(parameters["request"]["url"].as_str().map(str::to_string));
                }
                Some("Runtime.exceptionThrown") => {
                    self.problems.push(parameters["exceptionDetails"].to_string());
                }
                Some("Log.entryAdded") if parameters["entry"]["level"] == "error" => {
                    self.problems.push(parameters["entry"]["text"].to_string());
                }
                _ => {}
            }
            if wanted(&message) {
                return message;
            }
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended before, and what is left of its profile harms nobody.
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

/// A byte of a path as it stands in an address.
fn in_address(byte: u8) -> String {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    }
}

/// The bytes of a text in base 64.
fn base64(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let letters: Vec<u8> = text.bytes().filter(|it| *it != b'=').collect();
    let mut bytes = vec![];
    for group in letters.chunks(4) {
        let number = group.iter().fold(0u32, |number, it| number << 6 | u32::from(value(*it)));
        let number = number << (6 * (4 - group.len()));
        let all = number.to_be_bytes();
        bytes.extend_from_slice(&all[1..group.len()]);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_64_is_read() {
        assert_eq!(base64("aGVsbG8="), b"hello");
        assert_eq!(base64("aGVsbA=="), b"hell");
        assert_eq!(base64("+/+/"), [0xfb, 0xff, 0xbf]);
        assert_eq!(base64(""), b"");
    }
}
