//! How the bytes of cubins are shared out: over architectures, functions, and kinds of sections.

mod byte_count;
mod cubin_sizes;
mod section_group;
mod totals;

pub use byte_count::{ArchBytes, ByteCount, FunctionBytes, GroupBytes};
pub use cubin_sizes::{CubinSizes, SizedPart};
pub use section_group::SectionGroup;
pub use totals::{Sizes, Totals};
