//! Random `.debug_info` and `.debug_abbrev` of sound DWARF 2, as lines of section data.

use fastrand::Rng;

use super::words::pick;

/// A piece of `.debug_info`.
enum Piece {
    Bytes(Vec<u8>),
    /// A number of this many bytes.
    Number(u8, u64),
    /// A name or an expression of this many bytes.
    Name(u8, String),
    /// The place of an entry in its unit, in this many bytes.
    Entry(u8, usize),
}

impl Piece {
    fn size(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Number(width, _) | Self::Name(width, _) | Self::Entry(width, _) => u64::from(*width),
        }
    }
}

/// Attributes that an entry of a tag may have, each with its class.
const ATTRIBUTES: &[(u8, &[(u16, char)])] = &[
    (0x11, &[(0x25, 's'), (0x13, 'c'), (0x03, 's'), (0x10, 'l'), (0x1b, 's'), (0x11, 'a'), (0x12, 'a')]),
    (0x24, &[(0x03, 's'), (0x3e, 'c'), (0x0b, 'c')]),
    (
        0x2e,
        &[
            (0x03, 's'),
            (0x2007, 's'),
            (0x3a, 'c'),
            (0x3b, 'c'),
            (0x11, 'a'),
            (0x12, 'a'),
            (0x40, 'e'),
            (0x3f, 'f'),
            (0x49, 'r'),
            (0x01, 'n'),
        ],
    ),
    (0x05, &[(0x03, 's'), (0x49, 'r'), (0x3b, 'c'), (0x02, 'e'), (0x33, 'c')]),
    (0x34, &[(0x03, 's'), (0x49, 'r'), (0x3a, 'c'), (0x02, 'e'), (0x33, 'c'), (0x3f, 'f'), (0x02, 'o')]),
    (0x0b, &[(0x11, 'a'), (0x12, 'a')]),
    (0x1d, &[(0x31, 'r'), (0x11, 'a'), (0x12, 'a'), (0x58, 'c'), (0x59, 'c')]),
    (0x0f, &[(0x49, 'r'), (0x33, 'c')]),
    (0x13, &[(0x03, 's'), (0x0b, 'c'), (0x01, 'n')]),
    (0x0d, &[(0x03, 's'), (0x49, 'r'), (0x38, 'e')]),
    (0x01, &[(0x49, 'r')]),
    (0x21, &[(0x49, 'r'), (0x2f, 'c')]),
];

/// Tags that an entry has among its children.
fn children_of(tag: u8) -> &'static [&'static u8] {
    match tag {
        0x11 => &[&0x24, &0x2e, &0x34, &0x0f, &0x13, &0x01],
        0x2e | 0x0b | 0x1d => &[&0x05, &0x34, &0x0b, &0x1d],
        0x13 => &[&0x0d],
        0x01 => &[&0x21],
        _ => &[],
    }
}

#[derive(PartialEq, Eq)]
struct Shape {
    tag: u8,
    children: bool,
    attributes: Vec<(u16, u8)>,
}

struct Tree<'r> {
    random: &'r mut Rng,
    /// Labels of code, then variables.
    names: &'r [String],
    shapes: Vec<Shape>,
    pieces: Vec<Piece>,
    /// The index of the first piece of each entry.
    entries: Vec<usize>,
}

/// The data lines of `.debug_abbrev` and of `.debug_info`.
pub fn sections(random: &mut Rng, names: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut abbrev, mut info) = (Vec::new(), Vec::new());
    let units = if random.u8(..4) == 0 { 2 } else { 1 };
    for _ in 0..units {
        let mut tree = Tree { random, names, shapes: Vec::new(), pieces: Vec::new(), entries: Vec::new() };
        let most = tree.random.usize(1..14);
        tree.entry(0x11, most);
        let Tree { shapes, pieces, entries, .. } = tree;
        let start = abbrev.len();
        for (index, shape) in shapes.iter().enumerate() {
            uleb(&mut abbrev, index as u64 + 1);
            abbrev.extend([shape.tag, u8::from(shape.children)]);
            for &(name, form) in &shape.attributes {
                uleb(&mut abbrev, u64::from(name));
                abbrev.push(form);
            }
            abbrev.extend([0, 0]);
        }
        abbrev.push(0);
        unit(random, start, &pieces, &entries, &mut info);
    }
    (bytes(random, &abbrev), info)
}

fn unit(random: &mut Rng, abbrev: usize, pieces: &[Piece], entries: &[usize], lines: &mut Vec<String>) {
    let sizes: Vec<u64> = pieces.iter().map(Piece::size).collect();
    let total: u64 = sizes.iter().sum();
    lines.push(format!(".b32 {}", total + 7));
    lines.push(pick(random, &[".b8 2\n.b8 0", ".b16 2", ".b8 2, 0"]).to_owned());
    lines.push(match (abbrev, random.bool()) {
        (0, true) => ".b32 .debug_abbrev".to_owned(),
        (_, true) => format!(".b32 .debug_abbrev+{abbrev}"),
        _ => format!(".b32 {abbrev}"),
    });
    lines.push(".b8 8".to_owned());
    for piece in pieces {
        match piece {
            Piece::Bytes(run) => lines.extend(bytes(random, run)),
            Piece::Name(width, name) => lines.push(format!(".b{} {name}", 8 * width)),
            Piece::Number(width, value) => lines.push(number(*width, *value)),
            Piece::Entry(width, entry) => {
                let before: u64 = sizes.iter().take(entries[*entry]).sum();
                lines.push(number(*width, 11 + before));
            }
        }
    }
}

impl Tree<'_> {
    fn entry(&mut self, tag: u8, most: usize) {
        self.entries.push(self.pieces.len());
        let allowed = ATTRIBUTES.iter().find(|(of, _)| *of == tag).map_or(&[][..], |(_, all)| all);
        let mut attributes = Vec::new();
        let mut values = Vec::new();
        for &(name, class) in allowed {
            if self.random.u8(..4) != 0 {
                attributes.push((name, self.value(class, &mut values)));
            }
        }
        let kinds = children_of(tag);
        let parent = !kinds.is_empty() && (tag == 0x11 || self.random.u8(..3) != 0);
        let shape = Shape { tag, children: parent, attributes };
        let code = self.shapes.iter().position(|known| *known == shape).unwrap_or_else(|| {
            self.shapes.push(shape);
            self.shapes.len() - 1
        });
        let mut head = Vec::new();
        uleb(&mut head, code as u64 + 1);
        self.pieces.push(Piece::Bytes(head));
        self.pieces.extend(values);
        if parent {
            while self.entries.len() < most && self.random.u8(..5) != 0 {
                let kind = *pick(self.random, kinds);
                self.entry(kind, most);
            }
            self.pieces.push(Piece::Bytes(vec![0]));
        }
    }

    /// A value of a class in one of its forms, which is returned.
    fn value(&mut self, class: char, out: &mut Vec<Piece>) -> u8 {
        let random = &mut *self.random;
        let small = u64::from(random.u8(..100));
        match class {
            's' if random.u8(..4) == 0 => {
                out.push(Piece::Name(4, format!(".debug_str+{}", random.u8(..30))));
                0x0e
            }
            's' => {
                let mut text: Vec<u8> = (0..random.u8(..6)).map(|_| random.u8(b'a'..=b'z')).collect();
                text.push(0);
                out.push(Piece::Bytes(text));
                0x08
            }
            'c' => {
                let (form, width) =
                    [(0x0b, 1), (0x0b, 1), (0x05, 2), (0x06, 4), (0x07, 8), (0x0d, 0), (0x0f, 0)]
                        [random.usize(..7)];
                out.push(if width == 0 {
                    Piece::Bytes(vec![small as u8 & 0x3f])
                } else {
                    Piece::Number(width, small)
                });
                form
            }
            'f' => {
                out.push(Piece::Number(1, small & 1));
                0x0c
            }
            'l' => {
                out.push(if random.bool() {
                    Piece::Name(4, ".debug_line".to_owned())
                } else {
                    Piece::Number(4, 0)
                });
                0x06
            }
            'o' => {
                out.push(if random.bool() {
                    Piece::Name(4, ".debug_loc".to_owned())
                } else {
                    Piece::Number(4, 0)
                });
                0x06
            }
            'a' => {
                let name = self.names.get(random.usize(..=self.names.len())).cloned();
                out.push(name.map_or(Piece::Number(8, small), |name| Piece::Name(8, name)));
                0x01
            }
            'r' => {
                let (form, width) =
                    [(0x13, 4), (0x13, 4), (0x11, 1), (0x12, 2), (0x14, 8)][random.usize(..5)];
                let entry = random.usize(..self.entries.len());
                out.push(Piece::Entry(width, entry));
                form
            }
            // A sibling: mostly none, for one that leads back has ptxas run for ever.
            'n' if self.random.u8(..40) != 0 => {
                out.push(Piece::Number(4, 0));
                0x13
            }
            'n' => self.value('r', out),
            _ => self.expression(out),
        }
    }

    /// A location expression as a block.
    fn expression(&mut self, out: &mut Vec<Piece>) -> u8 {
        let random = &mut *self.random;
        let mut block = Vec::new();
        match random.u8(..6) {
            0..=2 => {
                block.push(Piece::Number(1, 3));
                let name = self.names.get(random.usize(..=self.names.len())).cloned();
                block.push(name.map_or(Piece::Number(8, 0), |name| Piece::Name(8, name)));
            }
            3 => block.push(Piece::Bytes(vec![0x90, 0xb1, 0xe4, 0x95, 0x01])),
            4 => block.push(Piece::Bytes(vec![0x23, random.u8(..0x80)])),
            _ => block.push(Piece::Bytes(vec![0x91, random.u8(..0x80), 0x06])),
        }
        let size: u64 = block.iter().map(Piece::size).sum();
        let (form, length) =
            [(0x0a, 1), (0x0a, 1), (0x0a, 1), (0x09, 0), (0x03, 2), (0x04, 4)][random.usize(..6)];
        out.push(if length == 0 { Piece::Bytes(vec![size as u8]) } else { Piece::Number(length, size) });
        out.extend(block);
        form
    }
}

fn uleb(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn number(width: u8, value: u64) -> String {
    format!(".b{} {value}", 8 * u32::from(width))
}

/// Lines of `.b8` with up to nine numbers.
pub fn bytes(random: &mut Rng, mut all: &[u8]) -> Vec<String> {
    let mut lines = Vec::new();
    while !all.is_empty() {
        let (now, later) = all.split_at(random.usize(1..10).min(all.len()));
        let numbers: Vec<String> = now.iter().map(u8::to_string).collect();
        lines.push(format!(".b8 {}", numbers.join(pick(random, &[",", ", "]))));
        all = later;
    }
    lines
}
