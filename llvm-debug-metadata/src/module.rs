//! A module: what stands outside functions, found line by line.

use crate::lexer::{Lexer, Token, TokenKind};
use crate::limits::{MAX_ERRORS, MAX_TEXT};
use crate::{Error, ErrorKind, NodeKind, TextRange};

/// The text of a module and where everything in it is. It keeps every byte: what is not an item or
/// a node is blank or a comment.
#[derive(Debug, Clone)]
pub struct Module<'a> {
    /// The text.
    pub text: &'a str,
    items: Vec<Item>,
    nodes: Vec<NodeDefinition>,
    /// Indices of nodes sorted by number; empty where node `n` is the one at index `n`.
    by_number: Vec<NodeId>,
    errors: Vec<Error>,
}

/// Something outside functions that is not a numbered node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// From its first token to its last.
    pub range: TextRange,
    /// What it is.
    pub kind: ItemKind,
}

/// The kinds of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    /// A function, defined or declared.
    Function(FunctionItem),
    /// A variable outside functions.
    Variable(GlobalName),
    /// An alias or an ifunc.
    Alias(GlobalName),
    /// A type with a name, which is given without `%`.
    Type {
        /// The name.
        name: TextRange,
    },
    /// A group of attributes.
    AttributeGroup {
        /// Its number.
        number: u32,
    },
    /// Named metadata.
    NamedMetadata(NamedMetadata),
    /// Anything else that modules have: the triple, comdats, assembly text, summaries.
    Other,
    /// A line that begins nothing a module has. It is kept as it is, and an error.
    Unknown,
}

/// The name of a global and whether others can see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GlobalName {
    /// The name with `@`.
    pub name: TextRange,
    /// Whether its linkage is `internal` or `private`.
    pub is_local: bool,
}

/// A function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionItem {
    /// Its name.
    pub global: GlobalName,
    /// All before the brace that opens its body; all of a declaration.
    pub header: TextRange,
    /// What is between the braces; none of a declaration.
    pub body: Option<TextRange>,
}

/// Named metadata, such as `!llvm.dbg.cu`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedMetadata {
    /// The name without `!`.
    pub name: TextRange,
    /// What is between the braces.
    pub operands: TextRange,
}

/// The place of a numbered node in its module: its index, which need not be its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// A numbered node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeDefinition {
    /// Its number.
    pub number: u32,
    /// From its number to its closing bracket.
    pub range: TextRange,
    /// The node.
    pub body: NodeBody,
}

/// A node, with a number or in the place where it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeBody {
    /// What it is.
    pub kind: NodeKind,
    /// Whether it is equal to no other node.
    pub is_distinct: bool,
    /// From `distinct` or `!` to its closing bracket.
    pub range: TextRange,
    /// What is between its brackets.
    pub content: TextRange,
}

impl<'a> Module<'a> {
    /// Reads a text. What is wrong with it is in [`Module::errors`].
    pub fn parse(text: &'a str) -> Self {
        let mut parser = Parser {
            text,
            lexer: Lexer::new(text),
            next: None,
            module: Self {
                text,
                items: Vec::new(),
                nodes: Vec::new(),
                by_number: Vec::new(),
                errors: Vec::new(),
            },
        };
        if text.len() > MAX_TEXT {
            parser.error(ErrorKind::TextTooLong, TextRange::default());
            return parser.module;
        }
        parser.bump();
        while let Some(token) = parser.next {
            parser.item(token);
        }
        let mut module = parser.module;
        module.index_nodes();
        module
    }

    /// Items in the order of the text.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Numbered nodes in the order of the text.
    pub fn nodes(&self) -> &[NodeDefinition] {
        &self.nodes
    }

    /// What is wrong with the text, in its order; the first
    /// [`MAX_ERRORS`].
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }

    /// The node that a number means.
    pub fn node_id(&self, number: u32) -> Option<NodeId> {
        if self.by_number.is_empty() {
            return self.nodes.get(number as usize).map(|_| NodeId(number));
        }
        let found = self.by_number.binary_search_by_key(&number, |id| self.nodes[id.0 as usize].number);
        found.ok().map(|at| self.by_number[at])
    }

    /// A node of this module.
    pub fn node(&self, id: NodeId) -> Option<&NodeDefinition> {
        self.nodes.get(id.0 as usize)
    }

    /// Functions in the order of the text.
    pub fn functions(&self) -> impl Iterator<Item = &FunctionItem> {
        self.items.iter().filter_map(|item| match &item.kind {
            ItemKind::Function(function) => Some(function),
            _ => None,
        })
    }

    /// The named metadata with this name.
    pub fn named_metadata(&self, name: &str) -> Option<&NamedMetadata> {
        self.items.iter().find_map(|item| match &item.kind {
            ItemKind::NamedMetadata(named) if named.name.slice(self.text) == name => Some(named),
            _ => None,
        })
    }

    fn index_nodes(&mut self) {
        if self.nodes.iter().enumerate().all(|(index, node)| node.number as usize == index) {
            return;
        }
        let mut ids: Vec<NodeId> = (0..self.nodes.len() as u32).map(NodeId).collect();
        let number = |id: NodeId| self.nodes[id.0 as usize].number;
        ids.sort_by_key(|id| (number(*id), *id));
        for pair in ids.windows(2).filter(|pair| number(pair[0]) == number(pair[1])) {
            if self.errors.len() < MAX_ERRORS {
                let node = &self.nodes[pair[1].0 as usize];
                self.errors.push(Error::new(ErrorKind::RepeatedNode(node.number), node.range));
            }
        }
        ids.dedup_by_key(|id| number(*id));
        self.by_number = ids;
    }
}

/// Reads items one after the other.
struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    next: Option<Token>,
    module: Module<'a>,
}

impl Parser<'_> {
    fn error(&mut self, kind: ErrorKind, range: TextRange) {
        if self.module.errors.len() < MAX_ERRORS {
            self.module.errors.push(Error::new(kind, range));
        }
    }

    /// Takes the next token.
    fn bump(&mut self) -> Option<Token> {
        let taken = self.next;
        self.next = self.lexer.next();
        if let Some(token) = self.next.filter(|token| token.kind == TokenKind::UnterminatedString) {
            self.error(ErrorKind::UnterminatedString, token.range);
        }
        taken
    }

    fn is_next(&self, punctuation: u8) -> bool {
        self.next.is_some_and(|token| token.is(punctuation, self.text))
    }

    /// The token after the next one.
    fn after_next(&self) -> Option<Token> {
        self.lexer.clone().next()
    }

    /// Whether the next token begins an item: it starts a line with a keyword of modules, or with a
    /// name and `=`.
    fn begins_item(&self) -> bool {
        let Some(token) = self.next.filter(|token| token.starts_line) else { return false };
        match token.kind {
            TokenKind::Word => matches!(
                token.text(self.text),
                "define"
                    | "declare"
                    | "attributes"
                    | "source_filename"
                    | "target"
                    | "module"
                    | "uselistorder"
                    | "uselistorder_bb"
                    | "deplibs"
            ),
            TokenKind::Local
            | TokenKind::Global
            | TokenKind::Comdat
            | TokenKind::MetadataName
            | TokenKind::MetadataNumber
            | TokenKind::Summary => self.after_next().is_some_and(|token| token.is(b'=', self.text)),
            _ => false,
        }
    }

    fn item(&mut self, first: Token) {
        if !self.begins_item() {
            self.error(ErrorKind::UnknownItem, first.range);
            self.bump();
            let end = self.rest(first.range);
            self.add(first.range.to(end), ItemKind::Unknown);
            return;
        }
        self.bump();
        let word = first.text(self.text);
        match first.kind {
            TokenKind::MetadataNumber => return self.numbered_node(first),
            TokenKind::MetadataName => return self.named_metadata(first),
            TokenKind::Word if matches!(word, "define" | "declare") => {
                return self.function(first, word == "define");
            }
            _ => {}
        }
        let mut is_local = false;
        let mut kind = ItemKind::Other;
        match first.kind {
            TokenKind::Local => {
                kind = ItemKind::Type { name: TextRange { start: first.range.start + 1, ..first.range } }
            }
            TokenKind::Word if word == "attributes" => {
                let number = self.next.filter(|token| token.kind == TokenKind::AttributeGroup);
                match number.map(|token| token.number(self.text)) {
                    Some(Some(number)) => kind = ItemKind::AttributeGroup { number },
                    Some(None) => self.error(ErrorKind::NumberTooLarge, first.range),
                    None => {}
                }
            }
            TokenKind::Global => {
                self.bump();
                let mut is_alias = false;
                while let Some(token) =
                    self.next.filter(|token| token.kind == TokenKind::Word && !token.starts_line)
                {
                    let word = token.text(self.text);
                    is_local |= matches!(word, "internal" | "private");
                    is_alias |= matches!(word, "alias" | "ifunc");
                    if is_alias || matches!(word, "global" | "constant") {
                        break;
                    }
                    self.bump();
                }
                let global = GlobalName { name: first.range, is_local };
                kind = if is_alias { ItemKind::Alias(global) } else { ItemKind::Variable(global) };
            }
            _ => {}
        }
        let end = self.rest(first.range);
        self.add(first.range.to(end), kind);
    }

    fn add(&mut self, range: TextRange, kind: ItemKind) {
        self.module.items.push(Item { range, kind });
    }

    /// Skips the rest of an item, and returns its last token.
    fn rest(&mut self, first: TextRange) -> TextRange {
        let (mut last, mut depth, mut goes_on) = (first, 0, false);
        let mut open = first;
        while let Some(token) = self.next {
            if depth <= 0 && token.starts_line && !goes_on {
                break;
            }
            let nesting = token.nesting(self.text);
            if depth == 0 && nesting > 0 {
                open = token.range;
            }
            depth += nesting;
            goes_on = token.is(b',', self.text) || token.is(b'=', self.text);
            last = token.range;
            self.bump();
        }
        if depth > 0 {
            self.error(ErrorKind::UnclosedBracket, open);
        }
        last
    }

    fn numbered_node(&mut self, first: Token) {
        self.bump();
        let body = self.node_body(first.range);
        match (first.number(self.text), body) {
            (Some(number), Some(body)) => {
                self.module.nodes.push(NodeDefinition { number, range: first.range.to(body.range), body });
            }
            (None, _) => {
                self.error(ErrorKind::NumberTooLarge, first.range);
                let end = self.rest(first.range);
                self.add(first.range.to(end), ItemKind::Unknown);
            }
            (_, None) => {
                let end = self.rest(first.range);
                self.add(first.range.to(end), ItemKind::Unknown);
            }
        }
    }

    /// A node after its number.
    fn node_body(&mut self, before: TextRange) -> Option<NodeBody> {
        let mut start = None;
        if let Some(token) = self.next.filter(|token| token.text(self.text) == "distinct") {
            start = Some(token.range);
            self.bump();
        }
        let head =
            self.next.filter(|token| matches!(token.kind, TokenKind::Exclamation | TokenKind::MetadataName));
        let kind = head.map(|head| match head.kind {
            TokenKind::Exclamation => NodeKind::Tuple,
            _ => NodeKind::named(head.name(self.text)),
        });
        if let Some((head, kind)) = head.zip(kind) {
            self.bump();
            let open = if kind == NodeKind::Tuple { b'{' } else { b'(' };
            if self.is_next(open)
                && let Some(content) = self.brackets()
            {
                let end = TextRange { start: content.end, end: content.end + 1 };
                let range = start.unwrap_or(head.range).to(end);
                return Some(NodeBody { kind, is_distinct: start.is_some(), range, content });
            }
        }
        self.error(ErrorKind::MissingNode, before);
        None
    }

    /// What is between the next bracket and the one that closes it.
    fn brackets(&mut self) -> Option<TextRange> {
        let open = self.bump()?.range;
        let mut depth = 1;
        while let Some(token) = self.next {
            depth += token.nesting(self.text);
            if depth == 0 {
                self.bump();
                return Some(TextRange { start: open.end, end: token.range.start });
            }
            self.bump();
        }
        self.error(ErrorKind::UnclosedBracket, open);
        None
    }

    fn named_metadata(&mut self, first: Token) {
        self.bump();
        let is_node = self.next.is_some_and(|token| token.kind == TokenKind::Exclamation);
        if is_node {
            self.bump();
        }
        if is_node && self.is_next(b'{') {
            if let Some(operands) = self.brackets() {
                let end = TextRange { start: operands.end, end: operands.end + 1 };
                let name = TextRange { start: first.range.start + 1, ..first.range };
                self.add(first.range.to(end), ItemKind::NamedMetadata(NamedMetadata { name, operands }));
                return;
            }
        } else {
            self.error(ErrorKind::MissingNode, first.range);
        }
        let end = self.rest(first.range);
        self.add(first.range.to(end), ItemKind::Unknown);
    }

    fn function(&mut self, first: Token, is_definition: bool) {
        let mut global = GlobalName { name: first.range, is_local: false };
        let (mut last, mut depth, mut has_parameters) = (first.range, 0, false);
        let mut goes_on = false;
        while let Some(token) = self.next {
            let nesting = token.nesting(self.text);
            if is_definition {
                // The body opens after the parameters; constants there have words before them.
                if depth == 0 && has_parameters && token.is(b'{', self.text) {
                    break;
                }
            } else if depth <= 0 && token.starts_line && !goes_on {
                break;
            }
            if token.kind == TokenKind::Global && global.name == first.range {
                global.name = token.range;
            }
            let word = if token.kind == TokenKind::Word { token.text(self.text) } else { "" };
            global.is_local |= depth == 0 && !has_parameters && matches!(word, "internal" | "private");
            depth += nesting;
            has_parameters |= depth == 0 && nesting < 0 && global.name != first.range;
            goes_on = token.is(b',', self.text);
            last = token.range;
            self.bump();
            if matches!(word, "prefix" | "prologue" | "personality") && depth == 0 {
                last = self.constant(last);
            }
        }
        let header = first.range.to(last);
        if !is_definition {
            self.add(header, ItemKind::Function(FunctionItem { global, header, body: None }));
            return;
        }
        if let Some(body) = self.next.and_then(|_| self.brackets()) {
            let range = TextRange { start: first.range.start, end: body.end + 1 };
            self.add(range, ItemKind::Function(FunctionItem { global, header, body: Some(body) }));
        } else {
            self.error(ErrorKind::UnterminatedFunction, first.range);
            self.add(TextRange::new(first.range.start as usize, self.text.len()), ItemKind::Unknown);
        }
    }

    /// Skips a constant, which is a type and a value, and returns its last token. One follows the
    /// word `prefix` in the header of a function.
    fn constant(&mut self, mut last: TextRange) -> TextRange {
        for _ in 0..2 {
            let opens = self.next.is_some_and(|token| token.nesting(self.text) > 0);
            let open = self.next;
            if opens {
                last =
                    self.brackets().map_or(last, |inner| TextRange { start: inner.end, end: inner.end + 1 });
            } else if open.is_some() {
                last = self.bump().map_or(last, |token| token.range);
            }
        }
        last
    }
}
