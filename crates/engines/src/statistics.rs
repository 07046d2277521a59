//! What engines count, and how they tell it.

use base::{Event, Events};

/// Declares the counters of an engine: a field for each, and the name in events.
macro_rules! counters {
    ($who:literal { $($field:ident: $name:literal,)* }) => {
        /// Counters of one run, over all numbers of threads tried.
        #[derive(Clone, Debug, Default)]
        pub struct Statistics {
            $(pub $field: u64,)*
        }

        impl Statistics {
            /// Tells all counters.
            pub fn emit(&self, events: &mut dyn base::Events) {
                $crate::statistics::emit($who, &[$(($name, self.$field)),*], events);
            }
        }
    };
}
pub(crate) use counters;

/// Tells counters of an engine.
pub fn emit(who: &'static str, counters: &[(&'static str, u64)], events: &mut dyn Events) {
    for &(name, value) in counters {
        events.emit(Event::Counter { who, name, value });
    }
}
