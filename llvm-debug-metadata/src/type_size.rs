//! The sizes of types by the data layout of a module.

use crate::TextRange;
use crate::lexer::{Lexer, Token, TokenKind, without_needless_quotes};
use crate::limits::MAX_TYPE_DEPTH;
use crate::module::{ItemKind, Module};
use std::cell::RefCell;
use std::collections::HashMap;

/// The sizes and alignments that a data layout gives, in bits.
#[derive(Debug, Clone)]
pub struct DataLayout {
    /// Of pointers, by address space.
    pointers: HashMap<u32, Extent>,
    /// Alignments by size.
    integers: Vec<(u64, u64)>,
    floats: Vec<(u64, u64)>,
    vectors: Vec<(u64, u64)>,
    aggregate: u64,
}

/// The size and alignment of a type, in bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Extent {
    size: u64,
    align: u64,
}

impl Extent {
    /// The size in memory, with what is left free up to the next value.
    fn stride(self) -> Option<u64> {
        self.size.div_ceil(8).checked_mul(8)?.checked_next_multiple_of(self.align.max(8))
    }
}

impl DataLayout {
    /// Reads the text of `target datalayout`; what it does not say is as LLVM has it.
    pub fn new(text: &str) -> Self {
        let mut layout = Self {
            pointers: HashMap::from([(0, Extent { size: 64, align: 64 })]),
            integers: vec![(1, 8), (8, 8), (16, 16), (32, 32), (64, 32)],
            floats: vec![(16, 16), (32, 32), (64, 64), (128, 128)],
            vectors: vec![(64, 64), (128, 128)],
            aggregate: 8,
        };
        for part in text.split('-') {
            let mut words = part.split(':');
            let head = words.next().unwrap_or_default();
            let numbers: Vec<u64> = words.map(|word| word.parse().unwrap_or(0)).collect();
            let Some(kind) = head.get(..1) else { continue };
            let size = head[1..].parse().unwrap_or(0);
            match (kind, &numbers[..]) {
                ("p", [size, align, ..]) => {
                    let space = head[1..].parse().unwrap_or(0);
                    layout.pointers.insert(space, Extent { size: *size, align: *align });
                }
                ("i", [align, ..]) => set(&mut layout.integers, size, *align),
                ("f", [align, ..]) => set(&mut layout.floats, size, *align),
                ("v", [align, ..]) => set(&mut layout.vectors, size, *align),
                ("a", [align, ..]) => layout.aggregate = (*align).max(8),
                _ => {}
            }
        }
        layout
    }

    fn integer(&self, size: u64) -> Extent {
        let at = self.integers.partition_point(|(other, _)| *other < size);
        let found = self.integers.get(at).or(self.integers.last());
        Extent { size, align: found.map_or(8, |(_, align)| *align) }
    }

    fn float(&self, size: u64) -> Extent {
        let found = self.floats.iter().find(|(other, _)| *other == size);
        Extent { size, align: found.map_or(size.next_power_of_two(), |(_, align)| *align) }
    }

    fn pointer(&self, space: u32) -> Extent {
        let any = Extent { size: 64, align: 64 };
        self.pointers.get(&space).or(self.pointers.get(&0)).copied().unwrap_or(any)
    }
}

fn set(alignments: &mut Vec<(u64, u64)>, size: u64, align: u64) {
    match alignments.binary_search_by_key(&size, |(size, _)| *size) {
        Ok(at) => alignments[at].1 = align,
        Err(at) => alignments.insert(at, (size, align)),
    }
}

/// The types of a module: its named ones, and its data layout.
#[derive(Debug)]
pub struct Types<'m, 'a> {
    module: &'m Module<'a>,
    layout: DataLayout,
    named: HashMap<&'a str, &'a str>,
    /// Of named types that were asked for. One that holds itself has none.
    known: RefCell<HashMap<&'a str, Option<Extent>>>,
    /// Whether pointers say what they point at, as in the dialect before LLVM 15: `i32*`.
    pub(crate) has_typed_pointers: bool,
}

impl<'m, 'a> Types<'m, 'a> {
    /// Finds the types and the data layout of a module.
    pub fn new(module: &'m Module<'a>) -> Self {
        let (text, mut named, mut layout) = (module.text, HashMap::new(), "");
        for item in module.items() {
            let words = item.range.slice(text);
            match item.kind {
                ItemKind::Type { name } => {
                    let after = TextRange { start: name.end, ..item.range }.slice(text).trim();
                    let definition = after.strip_prefix('=').map(str::trim);
                    if let Some(definition) = definition.and_then(|words| words.strip_prefix("type")) {
                        named.insert(without_needless_quotes(name.slice(text)), definition.trim());
                    }
                }
                ItemKind::Other if words.starts_with("target") && words.contains("datalayout") => {
                    layout = words.split('"').nth(1).unwrap_or_default();
                }
                _ => {}
            }
        }
        let has_typed_pointers = memchr::memchr(b'*', text.as_bytes()).is_some()
            && Lexer::new(text).any(|token| token.is(b'*', text));
        let layout = DataLayout::new(layout);
        Self { module, layout, named, known: RefCell::default(), has_typed_pointers }
    }

    /// The module.
    pub fn module(&self) -> &'m Module<'a> {
        self.module
    }

    /// The bits that a value of a type takes in memory, with what is left free after it: 0 for a
    /// type without a size, or whose size is not known.
    pub fn allocated_bits(&self, written: &str) -> u64 {
        self.extent(written, 0).and_then(Extent::stride).unwrap_or(0)
    }

    /// The type of a part of an aggregate.
    pub fn part(&self, aggregate: &str, indices: &[usize]) -> Option<String> {
        let mut written = aggregate.to_owned();
        for index in indices {
            let definition = match written.strip_prefix('%') {
                Some(name) => (*self.named.get(without_needless_quotes(name))?).to_owned(),
                None => written,
            };
            written = match Shape::of(&definition)? {
                Shape::Array { element, .. } | Shape::Vector { element, .. } => element.to_owned(),
                Shape::Structure { members, .. } => (*members.get(*index)?).to_owned(),
                _ => return None,
            };
        }
        Some(written)
    }

    fn named_extent(&self, name: &str, depth: usize) -> Option<Extent> {
        let (name, definition) = self.named.get_key_value(without_needless_quotes(name))?;
        if let Some(known) = self.known.borrow().get(name) {
            return *known;
        }
        self.known.borrow_mut().insert(name, None);
        let extent = self.extent(definition, depth + 1);
        self.known.borrow_mut().insert(name, extent);
        extent
    }

    fn extent(&self, written: &str, depth: usize) -> Option<Extent> {
        if depth > MAX_TYPE_DEPTH {
            return None;
        }
        Some(match Shape::of(written)? {
            Shape::Integer(size) => self.layout.integer(size),
            Shape::Float(size) => self.layout.float(size),
            Shape::Pointer(space) => self.layout.pointer(space),
            Shape::Named(name) => return self.named_extent(name, depth),
            Shape::Array { count, element } => {
                let element = self.extent(element, depth + 1)?;
                Extent { size: element.stride()?.checked_mul(count)?, align: element.align }
            }
            Shape::Vector { count, element } => {
                // Elements lie side by side, without anything between them.
                let size = self.extent(element, depth + 1)?.size.checked_mul(count)?;
                let found = self.layout.vectors.iter().find(|(other, _)| *other == size);
                let natural = || size.div_ceil(8).checked_next_power_of_two().map(|bytes| bytes * 8);
                Extent { size, align: found.map(|(_, align)| *align).or_else(natural)? }
            }
            Shape::Structure { members, is_packed } => {
                let (mut end, mut align) = (0_u64, if is_packed { 8 } else { self.layout.aggregate });
                for member in members {
                    let member = self.extent(member, depth + 1)?;
                    if !is_packed {
                        end = end.checked_next_multiple_of(member.align.max(8))?;
                        align = align.max(member.align);
                    }
                    end = end.checked_add(member.stride()?)?;
                }
                Extent { size: end.checked_next_multiple_of(align)?, align }
            }
        })
    }
}

/// What a type is, as it is written.
#[derive(Debug, PartialEq, Eq)]
enum Shape<'t> {
    Integer(u64),
    Float(u64),
    Pointer(u32),
    Named(&'t str),
    Array { count: u64, element: &'t str },
    Vector { count: u64, element: &'t str },
    Structure { members: Vec<&'t str>, is_packed: bool },
}

impl<'t> Shape<'t> {
    fn of(written: &'t str) -> Option<Self> {
        let written = written.trim();
        if written.ends_with('*') {
            let space = written.rsplit_once("addrspace(").map_or("", |(_, rest)| rest);
            let digits = space.trim_end_matches(['*', ' ']).strip_suffix(')').unwrap_or_default();
            return Some(Self::Pointer(digits.parse().unwrap_or(0)));
        }
        let inside = |open: &str, close: &str| Some(written.strip_prefix(open)?.strip_suffix(close)?.trim());
        if let Some(members) = inside("<{", "}>") {
            return Some(Self::Structure { members: parts(members), is_packed: true });
        }
        if let Some(members) = inside("{", "}") {
            return Some(Self::Structure { members: parts(members), is_packed: false });
        }
        if let Some(array) = inside("[", "]") {
            let (count, element) = array.split_once(" x ")?;
            return Some(Self::Array { count: count.trim().parse().ok()?, element });
        }
        if let Some(vector) = inside("<", ">") {
            let vector = vector.strip_prefix("vscale x ").unwrap_or(vector);
            let (count, element) = vector.split_once(" x ")?;
            return Some(Self::Vector { count: count.trim().parse().ok()?, element });
        }
        if let Some(name) = written.strip_prefix('%') {
            return Some(Self::Named(name));
        }
        if let Some(space) = written.strip_prefix("ptr") {
            let space = space.trim().strip_prefix("addrspace(").and_then(|rest| rest.strip_suffix(')'));
            return Some(Self::Pointer(space.and_then(|space| space.trim().parse().ok()).unwrap_or(0)));
        }
        // LLVM keeps them as pointers (`getTargetTypeInfo`); what it does not know has no size.
        if written.starts_with("target(\"spirv.") {
            return Some(Self::Pointer(0));
        }
        Some(match written {
            "half" | "bfloat" => Self::Float(16),
            "float" => Self::Float(32),
            "double" => Self::Float(64),
            "x86_fp80" => Self::Float(80),
            "fp128" | "ppc_fp128" => Self::Float(128),
            _ => Self::Integer(written.strip_prefix('i')?.parse().ok()?),
        })
    }
}

/// The members between the braces of a structure.
fn parts(members: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
    let angle = |token: Token| i32::from(token.is(b'<', members)) - i32::from(token.is(b'>', members));
    for token in Lexer::new(members).filter(|token| token.kind == TokenKind::Punctuation) {
        depth += token.nesting(members) + angle(token);
        if depth == 0 && token.is(b',', members) {
            parts.push(members[start..token.range.start as usize].trim());
            start = token.range.end as usize;
        }
    }
    let last = members[start..].trim();
    parts.extend(Some(last).filter(|last| !last.is_empty()));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let text = "target datalayout = \"e-i64:64-i128:128-v16:16-v32:32-p3:32:32\"\n\
                    %S = type { i8, i64, [3 x i16] }\n%O = type opaque\n%P = type <{ i8, i64 }>\n\
                    %R = type { %R }\n%\"odd type\" = type { ptr, i8 }\n";
        let module = Module::parse(text);
        let types = Types::new(&module);
        for (written, bits) in [
            ("i1", 8),
            ("i24", 32),
            ("i128", 128),
            ("half", 16),
            ("ptr", 64),
            ("ptr addrspace(3)", 32),
            ("float addrspace(3)*", 32),
            ("%S", 192),
            ("%S*", 64),
            ("%P", 72),
            ("{ i32, i64 }", 128),
            ("<{ i32, i64 }>", 96),
            ("[3 x { i8, i16 }]", 96),
            ("<3 x float>", 128),
            ("<4 x i1>", 8),
            ("<2 x i8>", 16),
            ("{}", 0),
            ("%O", 0),
            ("%R", 0),
            ("%\"odd type\"", 128),
            ("token", 0),
            ("target(\"spirv.Event\")", 64),
            ("target(\"spirv.Image\", void, 1, 0)", 64),
            ("target(\"dx.TypedBuffer\", float, 1, 0, 0)", 0),
            ("[18446744073709551615 x i64]", 0),
        ] {
            assert_eq!(types.allocated_bits(written), bits, "{written}");
        }
        assert_eq!(types.part("{ i32, %S }", &[1, 2]).as_deref(), Some("[3 x i16]"));
        assert_eq!(types.part("[4 x i8]", &[3]).as_deref(), Some("i8"));
        assert_eq!(types.part("i32", &[0]), None);
    }
}
