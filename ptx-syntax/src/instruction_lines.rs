//! The PTX line that ptxas records for an instruction.
//!
//! Only an instruction that is written over several lines shows which of its tokens decides. ptxas
//! takes the line that its lexer has reached when it makes the instruction. For most opcodes that
//! is right after the opcode; it then has read one token more, to tell an opcode from a label,
//! unless a predicate stands before. Some opcodes are made when the whole statement is read, and
//! have the line of the `;`. [`OPCODES`] says which.
//!
//! Observed: ptxas 13.0.88, 1,400 instructions with each token on a line of its own, with and
//! without a predicate, on sm_75, sm_80, sm_90a, sm_100a and sm_120a, with `-O0` and `-O3`. Types,
//! state spaces and architectures make no difference. `ptxas-driver/tests/instruction_lines.rs`
//! asks ptxas for every opcode of the table.

use crate::instruction::Instruction;
use crate::lexer::tokenize;

/// The token whose line ptxas records as the line of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineAnchor {
    /// The token after the opcode: a modifier, an operand, or the `;` of `ret;`. If the instruction
    /// has a predicate, it is the opcode itself.
    Opcode,
    /// The `;` that ends the instruction.
    End,
}

use LineAnchor::{End, Opcode};

/// The opcodes for which ptxas records the line of their `;`, and those that it reads as one token
/// although they have several words. An entry stands for all opcodes that begin with its words,
/// unless a longer entry does. An opcode without an entry is read word by word, and has
/// [`LineAnchor::Opcode`].
///
/// The words of one token cannot stand on different lines: ptxas does not know `mul` before a line
/// `.wide`. What follows `::`, as in `tcgen05.wait::ld`, is a token of its own.
pub const OPCODES: &[(&str, LineAnchor)] = &[
    ("bar", End),
    ("barrier", End),
    ("barrier.cluster.arrive", Opcode),
    ("barrier.cluster.wait", Opcode),
    ("bfe", End),
    ("bfi", End),
    ("bfind", End),
    ("brev", End),
    ("brx.idx", Opcode),
    ("clusterlaunchcontrol.query_cancel", Opcode),
    ("clusterlaunchcontrol.try_cancel.async", Opcode),
    ("clz", End),
    ("copysign", End),
    ("cp.async", Opcode),
    ("cp.async.bulk", End),
    ("cp.async.bulk.commit_group", Opcode),
    ("cp.async.bulk.prefetch", Opcode),
    ("cp.async.bulk.prefetch.tensor", Opcode),
    ("cp.async.bulk.tensor", End),
    ("cp.async.bulk.wait_group", Opcode),
    ("cp.async.commit_group", Opcode),
    ("cp.async.mbarrier.arrive", End),
    ("cp.async.wait_all", Opcode),
    ("cp.async.wait_group", Opcode),
    ("cp.reduce.async.bulk", Opcode),
    ("cp.reduce.async.bulk.tensor", Opcode),
    ("createpolicy", End),
    ("cvt", End),
    ("cvt.pack", Opcode),
    ("cvta.to", Opcode),
    ("div", End),
    ("dp2a", End),
    ("dp4a", End),
    ("ex2", End),
    ("fence.proxy", Opcode),
    ("ldmatrix", End),
    ("lg2", End),
    ("mad.hi", Opcode),
    ("mad.lo", Opcode),
    ("mad.wide", Opcode),
    ("mad24.hi", Opcode),
    ("mad24.lo", Opcode),
    ("madc.hi", Opcode),
    ("madc.lo", Opcode),
    ("match", End),
    ("mbarrier.arrive", Opcode),
    ("mbarrier.arrive.expect_tx", Opcode),
    ("mbarrier.arrive_drop", Opcode),
    ("mbarrier.arrive_drop.expect_tx", Opcode),
    ("mbarrier.complete_tx", Opcode),
    ("mbarrier.expect_tx", Opcode),
    ("mbarrier.init", Opcode),
    ("mbarrier.inval", Opcode),
    ("mbarrier.pending_count", Opcode),
    ("mbarrier.test_wait", Opcode),
    ("mbarrier.test_wait.parity", Opcode),
    ("mbarrier.try_wait", Opcode),
    ("mbarrier.try_wait.parity", Opcode),
    ("membar", End),
    ("membar.proxy", Opcode),
    ("mma", End),
    ("movmatrix", End),
    ("mul.hi", Opcode),
    ("mul.lo", Opcode),
    ("mul.wide", Opcode),
    ("mul24.hi", Opcode),
    ("mul24.lo", Opcode),
    ("multimem", End),
    ("pmevent.mask", Opcode),
    ("popc", End),
    ("prefetch", End),
    ("rcp", End),
    ("red.async", End),
    ("redux", End),
    ("rem", End),
    ("rsqrt", End),
    ("setmaxnreg.dec", Opcode),
    ("setmaxnreg.inc", Opcode),
    ("shf.l", Opcode),
    ("shf.r", Opcode),
    ("shfl", End),
    ("sqrt", End),
    ("st.async", End),
    ("st.bulk", End),
    ("stmatrix", End),
    ("suld.b", Opcode),
    ("sured.b", End),
    ("sured.p", Opcode),
    ("sust.b", Opcode),
    ("sust.p", Opcode),
    ("tanh", End),
    ("tcgen05", End),
    ("tcgen05.fence", Opcode),
    ("tcgen05.wait", Opcode),
    ("tensormap.cp_fenceproxy", Opcode),
    ("tensormap.replace", End),
    ("testp", End),
    ("tex", End),
    ("tld4", End),
    ("txq.level", Opcode),
    ("vabsdiff", End),
    ("vabsdiff2", End),
    ("vabsdiff4", End),
    ("vadd", End),
    ("vadd2", End),
    ("vadd4", End),
    ("vavrg2", End),
    ("vavrg4", End),
    ("vmad", End),
    ("vmax", End),
    ("vmax2", End),
    ("vmax4", End),
    ("vmin", End),
    ("vmin2", End),
    ("vmin4", End),
    ("vote", End),
    ("vset", End),
    ("vset2", End),
    ("vset4", End),
    ("vshl", End),
    ("vshr", End),
    ("vsub", End),
    ("vsub2", End),
    ("vsub4", End),
    ("wgmma", End),
    ("wmma", End),
];

impl Instruction<'_> {
    /// Returns a byte offset on the line that ptxas records for the instruction in
    /// `.nv_debug_line_sass`.
    pub fn line_anchor(&self) -> u32 {
        self.anchor(None)
    }

    /// Returns a byte offset on the line at which the instruction begins for ptxas. The lines that
    /// a `.loc` covers begin with that line of its first instruction. Observed: ptxas 13.0.88, with
    /// line markers.
    pub fn begin_anchor(&self) -> u32 {
        self.anchor(Some(Opcode))
    }

    fn anchor(&self, line_of: Option<LineAnchor>) -> u32 {
        let (start, text) = (self.range.start, self.text());
        if memchr::memchr(b'\n', text.as_bytes()).is_none() {
            return start;
        }
        // Without its `;`, an error, the text ends with another token.
        let last = self.range.end.saturating_sub(1).max(start);
        let (words, entry) = entry(&self.opcode_words());
        if line_of.unwrap_or(entry) == End {
            return last;
        }
        if text.starts_with('@') {
            return self.opcode.range.start;
        }
        let opcode = self.opcode.range.start - start;
        let mut tokens =
            tokenize(text).filter(|token| !token.kind.is_trivia() && token.range.start >= opcode);
        tokens.nth(words).map_or(last, |token| start + token.range.start)
    }

    /// The opcode without blanks and comments between its words.
    fn opcode_words(&self) -> String {
        let words = tokenize(self.opcode.text).filter(|token| !token.kind.is_trivia());
        words.map(|word| word.range.slice(self.opcode.text)).collect()
    }
}

/// How many words of an opcode ptxas reads before the token whose line counts, and what the table
/// says.
fn entry(opcode: &str) -> (usize, LineAnchor) {
    let entries = OPCODES.iter().filter_map(|&(name, line_of)| {
        let rest =
            opcode.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with(['.', ':']))?;
        Some((name, line_of, rest.starts_with(':')))
    });
    let Some((name, line_of, has_colons)) = entries.max_by_key(|(name, ..)| name.len()) else {
        return (1, Opcode);
    };
    // `.wait::ld` is one word, whose second half is the token that counts.
    (name.split('.').count() - usize::from(has_colons), line_of)
}
