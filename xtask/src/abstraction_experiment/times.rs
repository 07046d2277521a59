//! Times as a reader sees them: what was not ready has a lower bound.

use std::fmt;
use std::time::Duration;

/// How long something took, as far as that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Time {
    /// It was ready after this.
    Took(Duration),
    /// It was stopped after this.
    MoreThan(Duration),
}

impl Time {
    /// What is known to have passed.
    pub fn least(self) -> Duration {
        match self {
            Time::Took(time) | Time::MoreThan(time) => time,
        }
    }

    /// This and then another.
    pub fn plus(self, other: Time) -> Time {
        let sum = self.least() + other.least();
        match (self, other) {
            (Time::Took(_), Time::Took(_)) => Time::Took(sum),
            _ => Time::MoreThan(sum),
        }
    }

    /// How many times as long as another this is; nothing if both were stopped.
    pub fn ratio(self, other: Time) -> String {
        let sign = match (self, other) {
            (Time::Took(_), Time::Took(_)) => "",
            (Time::MoreThan(_), Time::Took(_)) => "> ",
            (Time::Took(_), Time::MoreThan(_)) => "< ",
            _ => return "—".into(),
        };
        // Below a millisecond a clock says little.
        let [a, b] = [self, other].map(|it| it.least().as_secs_f64().max(0.001));
        format!("{sign}{:.1}", a / b)
    }

    /// Whether this is known to be less than another.
    pub fn is_below(self, other: Time) -> bool {
        matches!(self, Time::Took(time) if time < other.least())
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Time::Took(time) => write!(f, "{:.3}", time.as_secs_f64()),
            Time::MoreThan(time) => write!(f, "> {:.0}", time.as_secs_f64()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_stopped_has_a_lower_bound() {
        let [one, three] = [1, 3].map(|it| Time::Took(Duration::from_secs(it)));
        let stopped = Time::MoreThan(Duration::from_secs(2));
        assert_eq!(one.plus(stopped).to_string(), "> 3");
        assert_eq!((three.ratio(one), stopped.ratio(one)), ("3.0".into(), "> 2.0".into()));
        assert_eq!((one.ratio(stopped), stopped.ratio(stopped)), ("< 0.5".into(), "—".into()));
        assert!(one.is_below(stopped) && !three.is_below(stopped) && !stopped.is_below(three));
    }
}
