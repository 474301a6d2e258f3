//! What is made and said, against the real tools and over the corpus of `../shared`.

mod arch_matrix;
mod auto;
mod bugs_read;
mod compact_lines;
mod drop_in;
mod dump_offsets;
mod exactness;
mod extras;
mod gimli;
mod inlined_calls;
mod instruction_lines;
mod keep;
mod labels;
mod loc_fuzz;
mod local_variables;
mod locs_on_a_line;
mod merc_clone;
mod nvdisasm;
mod odd_lines;
mod options_oracle;
mod ptxas_style;
mod several_inputs;
mod support;
mod triton;
mod version;
mod zeroed;
