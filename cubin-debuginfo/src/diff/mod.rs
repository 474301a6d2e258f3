//! Comparison of two cubins by what they say, whatever their layout.
//!
//! Addresses are those in a function; offsets of entries, strings and files are replaced by what is
//! there. [`CubinFacts`] are gathered of each cubin on its own, so that only one has to be in
//! memory at a time. They keep hashes in place of most texts: when the two are compared, the texts
//! of what differs are looked up in the cubins once more.
//!
//! ```
//! use cubin_debuginfo::diff::{CubinFacts, DifferenceKind, TextHasher};
//! use nv_debug_sections::cubin::Cubin;
//!
//! let [a, b] = ["saxpy", "saxpy-debug"].map(|name| std::fs::read(format!("../examples/saxpy/{name}.cubin")));
//! let (a, b) = (a?, b?);
//! let (old, new) = (Cubin::parse(&a)?, Cubin::parse(&b)?);
//! let hashes = TextHasher::default();
//! let facts = [CubinFacts::new(&old, a.len(), &hashes)?, CubinFacts::new(&new, b.len(), &hashes)?];
//! let is_wanted = |kind| matches!(kind, DifferenceKind::Header | DifferenceKind::Lines);
//! let mut found = facts[0].compare(&facts[1], is_wanted, 20);
//! found.look_up_texts(&old, a.len(), &hashes);
//! found.look_up_texts(&new, b.len(), &hashes);
//! let first = &found.resolve().kept[0];
//! println!("{}, {}: {:?}, {:?}", first.key, first.place, first.a, first.b); // header, SM: Some("90"), Some("75")
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compare;
mod difference;
mod difference_kind;
mod facts;
mod text_hasher;
mod too_many_facts;
mod unread_section;

pub use compare::Unresolved;
pub use difference::{Difference, Differences};
pub use difference_kind::DifferenceKind;
pub use facts::CubinFacts;
pub use text_hasher::TextHasher;
pub use too_many_facts::TooManyFacts;
pub use unread_section::UnreadSection;
