//! `docs/json.md` and `docs/schemas` are made from the types of the answers; `BLESS=1` writes them.
#![allow(clippy::unwrap_used, reason = "a broken set-up is a failed test")]

use findings::page::table;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const WRITER: &str = "BLESS=1 cargo test -p ptxas-driver --test house json_page";

/// What the page says before its tables.
const INTRODUCTION: &str = include_str!("json_page/introduction.md");

/// The members that the introduction tells.
const COMMON: [&str; 3] = ["schema", "schema_version", "files"];

fn driver(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_ptxas-driver")).arg("schema").args(args).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

/// Whether the file has the text, after it was written where `BLESS` is set.
fn is_current(path: &Path, text: &str) -> bool {
    if env::var_os("BLESS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    fs::read_to_string(path).is_ok_and(|old| old == text)
}

#[test]
fn schemas_and_their_page_are_current() {
    let names = driver(&[]);
    let schemas: Vec<(&str, String)> = names.lines().map(|name| (name, driver(&[name]))).collect();
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    let mut page = Page::default();
    for (name, text) in &schemas {
        files.push((docs().join("schemas").join(format!("{name}.json")), text.clone()));
        page.schemas.push((name, serde_json::from_str(text).unwrap()));
    }
    files.push((docs().join("json.md"), page.text()));
    assert!(page.faults.is_empty(), "{:#?}", page.faults);
    let old: Vec<_> =
        files.iter().filter(|(path, text)| !is_current(path, text)).map(|(path, _)| path).collect();
    assert!(old.is_empty(), "{old:?} are old: BLESS=1 writes them anew");
    let listed = fs::read_dir(docs().join("schemas")).unwrap().count();
    assert_eq!(listed, schemas.len(), "docs/schemas has files that are not schemas of ptxas-driver");
}

/// The page of all schemas.
#[derive(Default)]
struct Page<'s> {
    schemas: Vec<(&'s str, Value)>,
    /// What is wrong with descriptions.
    faults: Vec<String>,
}

impl Page<'_> {
    fn text(&mut self) -> String {
        let schemas = std::mem::take(&mut self.schemas);
        let shared = self.shared(&schemas);
        let mut page =
            format!("# JSON\n\nMade from the types of the answers by `{WRITER}`.\n\n{INTRODUCTION}");
        for (name, schema) in &schemas {
            page.extend(["\n## `", name, "`\n\n"]);
            page += &self.document(schema, name);
            for (part, definition) in definitions(schema) {
                if !shared.iter().any(|(other, _)| *other == part) {
                    page += &self.definition(part, definition);
                }
            }
        }
        page += "\n## Parts of several documents\n";
        for (part, definition) in shared {
            page += &self.definition(part, definition);
        }
        page
    }

    /// The definitions that several schemas have, each once.
    fn shared<'v>(&mut self, schemas: &'v [(&str, Value)]) -> Vec<(&'v str, &'v Value)> {
        let all = || schemas.iter().flat_map(|(_, schema)| definitions(schema));
        let mut shared: Vec<(&str, &Value)> = Vec::new();
        for (name, definition) in all() {
            let others: Vec<&Value> =
                all().filter(|(other, _)| *other == name).map(|(_, other)| other).collect();
            if others.iter().any(|other| *other != definition) {
                self.faults.push(format!("{name}: several types have that name"));
            }
            if others.len() > 1 && !shared.iter().any(|(other, _)| *other == name) {
                shared.push((name, definition));
            }
        }
        shared
    }

    /// The members of a document, and those of an element of its `files`.
    fn document(&mut self, schema: &Value, name: &str) -> String {
        let mut text = format!("{}\n", description(schema));
        let own: Map<String, Value> = properties(schema)
            .filter(|(member, _)| !COMMON.contains(&&***member))
            .map(|(member, value)| (member.clone(), value.clone()))
            .collect();
        if !own.is_empty() {
            let mut object = schema.clone();
            object["properties"] = own.into();
            text.extend(["\n", &*self.members(&object, name)]);
        }
        // The last one is a file without an answer.
        let elements = schema["properties"]["files"]["items"]["anyOf"].as_array();
        let elements = elements.and_then(|elements| elements.split_last()).map(|(_, kinds)| kinds);
        for element in elements.unwrap_or_default() {
            let about = match &*description(element) {
                "" => "An element of `files`:".to_owned(),
                about => format!("An element of `files`. {about}"),
            };
            text.extend(["\n", &about, "\n\n", &*self.members(element, name)]);
        }
        text
    }

    fn definition(&mut self, name: &str, definition: &Value) -> String {
        let about = description(definition);
        // Paths are for those who read the code.
        if about.is_empty() || names_code(&about) {
            self.faults.push(format!("{name}: not a description for readers of JSON: {about:?}"));
        }
        let body = match definition["oneOf"].as_array() {
            Some(kinds) if kinds.iter().all(|kind| kind.get("const").is_some()) => {
                let rows =
                    kinds.iter().map(|kind| [format!("`{}`", kind["const"]), cell(&description(kind))]);
                table(["value", "meaning"], rows)
            }
            Some(kinds) => {
                let rows = kinds.iter().map(|kind| {
                    let (tag, data) = (&kind["properties"]["kind"]["const"], &kind["properties"]["data"]);
                    [format!("`{tag}`"), type_of(data), cell(&description(kind))]
                });
                table(["`kind`", "`data`", "meaning"], rows)
            }
            None => self.members(definition, name),
        };
        format!("\n### {name}\n\n{about}\n\n{body}")
    }

    /// The table of an object's members.
    fn members(&mut self, object: &Value, of: &str) -> String {
        let required: Vec<&str> =
            object["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        // An object may have one of several members, described where it is chosen.
        let choices = ["oneOf", "anyOf"].iter().filter_map(|key| object[key].as_array()).flatten();
        let choices = choices.flat_map(|choice| {
            properties(choice).map(|(name, value)| {
                let about = description(value);
                (name, value, if about.is_empty() { description(choice) } else { about })
            })
        });
        let all = properties(object).map(|(name, value)| (name, value, description(value)));
        let mut rows = Vec::new();
        for (member, value, about) in all.chain(choices) {
            let is_optional = !required.contains(&&**member);
            let kind = type_of(value);
            let is_nullable = kind.ends_with(" or null") && !kind.contains("string or boolean");
            for (is, word) in [(true, ". "), (is_optional, "bsent "), (is_nullable, "null`")] {
                if is && !format!("{about} ").contains(word) {
                    self.faults.push(format!("{of}: {member}: the description has no {word:?}: {about:?}"));
                }
            }
            if names_code(&about) {
                self.faults.push(format!("{of}: {member}: a path of the code: {about:?}"));
            }
            let mark = if is_optional { "?" } else { "" };
            rows.push([format!("`{member}`{mark}"), kind, cell(&format!("{about}{}", words(value)))]);
        }
        table(["member", "type", "meaning"], rows)
    }
}

/// Whether a path of Rust is in a text.
fn names_code(text: &str) -> bool {
    text.split("::").skip(1).any(|after| after.starts_with(char::is_alphabetic))
}

fn properties(object: &Value) -> impl Iterator<Item = (&String, &Value)> {
    object["properties"].as_object().into_iter().flatten()
}

fn description(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().to_owned()
}

/// A description in a cell of a table: on one line.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words that a member can be, where its type does not list them.
fn words(schema: &Value) -> String {
    let words: Vec<String> = schema["enum"]
        .as_array()
        .or(schema["items"]["enum"].as_array())
        .into_iter()
        .flatten()
        .filter(|word| !word.is_null())
        .map(|word| format!("`{word}`"))
        .collect();
    if words.is_empty() { String::new() } else { format!(" One of {}.", words.join(", ")) }
}

/// The type of a member, in words.
fn type_of(schema: &Value) -> String {
    let list = |key: &str| schema[key].as_array().into_iter().flatten().map(type_of).collect::<Vec<_>>();
    if let Some(name) = reference(schema) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if schema.get("anyOf").is_some() {
        return list("anyOf").join(" or ");
    }
    if let Some(value) = schema.get("const") {
        return format!("`{value}`");
    }
    let name = |kind: &Value| match kind.as_str() {
        Some("integer") => "number".to_owned(),
        Some("array") if schema.get("prefixItems").is_some() => {
            format!("array of {}", list("prefixItems").join(" and "))
        }
        Some("array") if schema.get("items").is_some() => format!("array of {}", type_of(&schema["items"])),
        Some(kind) => kind.to_owned(),
        None => panic!("no type: {schema}"),
    };
    match &schema["type"] {
        Value::Array(kinds) => kinds.iter().map(name).collect::<Vec<_>>().join(" or "),
        kind => name(kind),
    }
}

fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

/// The definitions of a schema, in the order in which they are referred to.
fn definitions(schema: &Value) -> Vec<(&str, &Value)> {
    fn visit<'s>(
        value: &'s Value,
        found: &mut Vec<&'s str>,
        seen: &mut BTreeSet<&'s str>,
        definitions: &'s Value,
    ) {
        match value {
            Value::Object(members) => {
                let name = reference(value);
                if let Some(name) = name.filter(|name| seen.insert(name)) {
                    found.push(name);
                    visit(&definitions[name], found, seen, definitions);
                }
                members
                    .iter()
                    .filter(|(key, _)| *key != "$defs")
                    .for_each(|(_, value)| visit(value, found, seen, definitions));
            }
            Value::Array(values) => values.iter().for_each(|value| visit(value, found, seen, definitions)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    visit(schema, &mut found, &mut BTreeSet::new(), &schema["$defs"]);
    found.into_iter().map(|name| (name, &schema["$defs"][name])).collect()
}
