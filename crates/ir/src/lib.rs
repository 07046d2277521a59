//! What Selvedge speaks about: Boolean programs ([`bp`]), nets ([`net`]), C programs ([`c`]), the question
//! asked of them ([`task`]), the answer ([`verdict`]) and its evidence ([`trace`], [`certificate`]). The
//! reference semantics of all models live here ([`bp::machine`], [`net::machine`], [`::c::machine`]): they
//! are the meaning that every engine is tested against.

pub mod bp;
pub mod c;
pub mod certificate;
pub mod lift;
pub mod net;
pub mod property;
pub mod task;
pub mod trace;
pub mod verdict;

pub use bp::Program;
pub use certificate::Certificate;
pub use lift::Lift;
pub use net::Net;
pub use property::{Class, Property};
pub use task::{Bound, Model, Scope, Task};
pub use trace::Trace;
pub use verdict::{Reason, ReasonKind, Verdict, Why};
