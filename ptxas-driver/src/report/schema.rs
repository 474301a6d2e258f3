//! The JSON Schema of each document, made from the Rust types that are written.

use super::Answer;
use super::document::{OfCubin, OfFile, Refusal, SCHEMA_VERSION};

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// The JSON Schema of a document that a command prints.
#[derive(Debug, Clone, Copy)]
pub struct DocumentSchema {
    /// The name of the schema, such as `nvdwarf.lines`.
    pub name: &'static str,
    make: fn(&mut SchemaGenerator) -> Parts,
}

/// What documents differ in.
#[derive(Debug)]
struct Parts {
    /// What the document is, in words.
    about: Value,
    /// The object with the members of the command.
    command: Value,
    /// What an element of `files` can be, in documents that have these.
    elements: Vec<Value>,
}

impl DocumentSchema {
    /// Returns the schema of a command whose documents have a value of type `A` for each cubin.
    pub const fn of_cubins<A: Answer>() -> Self {
        Self::of_cubins_with::<(), A>()
    }

    /// Returns the schema of a command whose documents have the members of `C`, and then in `files`
    /// a value of type `A` for each cubin.
    pub const fn of_cubins_with<C: JsonSchema, A: Answer>() -> Self {
        Self { name: A::SCHEMA, make: parts::<C, A, OfCubin<'_, A>> }
    }

    /// Returns the schema of a command whose documents have a value of type `A` for each file.
    pub const fn of_files<A: Answer>() -> Self {
        Self { name: A::SCHEMA, make: parts::<(), A, OfFile<'_, A>> }
    }

    /// Returns the schema of a command whose documents have a value of type `A` or `B` for each
    /// file, depending on what it is.
    pub const fn of_files_of_two_kinds<A: Answer, B: Answer>() -> Self {
        let make = |generator: &mut SchemaGenerator| Parts {
            about: json!("Answers about files of two kinds."),
            command: <()>::json_schema(generator).to_value(),
            elements: vec![element_of_kind::<A>(generator), element_of_kind::<B>(generator)],
        };
        Self { name: A::SCHEMA, make }
    }

    /// Returns the schema of a document without an array `files`.
    pub const fn of<A: JsonSchema>(name: &'static str) -> Self {
        let make = |generator: &mut SchemaGenerator| {
            let mut command = A::json_schema(generator).to_value();
            Parts { about: taken(&mut command, "description"), command, elements: Vec::new() }
        };
        Self { name, make }
    }

    /// Returns the schema as JSON Schema of 2020-12. It does not close objects: a member may be
    /// added without a new version.
    pub fn schema(&self) -> Value {
        let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
        let Parts { about, mut command, mut elements } = (self.make)(&mut generator);
        let mut properties = Map::new();
        properties.insert(
            "schema".to_owned(),
            json!({ "const": self.name, "description": "The name of this schema." }),
        );
        let version = json!({ "const": SCHEMA_VERSION, "description": "The version of all schemas." });
        properties.insert("schema_version".to_owned(), version);
        if let Value::Object(members) = taken(&mut command, "properties") {
            properties.extend(members);
        }
        let mut required = vec!["schema".into(), "schema_version".into()];
        if let Value::Array(members) = taken(&mut command, "required") {
            required.extend(members);
        }
        if !elements.is_empty() {
            elements.push(generator.subschema_for::<Refusal<'_>>().to_value());
            let about = "One for each file or, where a file has several cubins, for each of these.";
            let files = json!({ "description": about, "type": "array", "items": { "anyOf": elements } });
            properties.insert("files".to_owned(), files);
            required.push("files".into());
        }
        let mut schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": format!("{}, version {SCHEMA_VERSION}", self.name),
            "description": about,
            "type": "object",
            "properties": properties,
            "required": required,
        });
        if let Some(members) = schema.as_object_mut() {
            // A choice of members.
            let choice = ["anyOf", "oneOf"].map(|key| (key.to_owned(), taken(&mut command, key)));
            members.extend(choice.into_iter().filter(|(_, choices)| choices.is_array()));
            members.insert("$defs".to_owned(), generator.take_definitions(true).into());
        }
        tidy(&mut schema);
        schema
    }
}

/// The parts of the schema of a document with `files`. `C` has the members before these, and `E`
/// those of an element with the answer `A`.
fn parts<C: JsonSchema, A: Answer, E: JsonSchema>(generator: &mut SchemaGenerator) -> Parts {
    let about = taken(&mut A::json_schema(generator).to_value(), "description");
    let command = C::json_schema(generator).to_value();
    let mut element = E::json_schema(generator).to_value();
    taken(&mut element, "description");
    Parts { about, command, elements: vec![element] }
}

/// An element of `files` with an answer of one kind, which describes it.
fn element_of_kind<A: Answer>(generator: &mut SchemaGenerator) -> Value {
    let about = taken(&mut A::json_schema(generator).to_value(), "description");
    let mut element = OfFile::<A>::json_schema(generator).to_value();
    element["description"] = about;
    element
}

/// A member, which is taken out; null without one.
fn taken(object: &mut Value, key: &str) -> Value {
    object.as_object_mut().and_then(|members| members.shift_remove(key)).unwrap_or_default()
}

/// Makes descriptions of doc comments, and takes null from what members that may be absent can be:
/// these are left out instead.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            let required = members.get("required").cloned().unwrap_or_default();
            let is_required =
                |member: &String| required.as_array().is_some_and(|all| all.contains(&json!(member)));
            if let Some(Value::Object(properties)) = members.get_mut("properties") {
                properties
                    .iter_mut()
                    .filter(|(member, _)| !is_required(member))
                    .for_each(|(_, value)| without_null(value));
            }
            for (key, value) in members {
                match value {
                    Value::String(text) if key == "description" => *text = reworded(text),
                    _ => tidy(value),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(tidy),
        _ => {}
    }
}

/// Takes null from the types that a value may have.
fn without_null(value: &mut Value) {
    let null = json!({ "type": "null" });
    for (key, null) in [("type", json!("null")), ("anyOf", null)] {
        let Some(Value::Array(kinds)) = value.get_mut(key) else { continue };
        kinds.retain(|kind| *kind != null);
        let [kind] = kinds.as_slice() else { continue };
        match kind.clone() {
            Value::Object(only) => {
                taken(value, key);
                // Its own description stays.
                if let Some(members) = value.as_object_mut() {
                    for (key, value) in only {
                        members.entry(key).or_insert(value);
                    }
                }
            }
            kind => value[key] = kind,
        }
    }
}

/// A description in paragraphs of one line each, and in the words of JSON.
fn reworded(text: &str) -> String {
    let paragraphs =
        text.split("\n\n").map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "));
    let text = paragraphs.collect::<Vec<_>>().join("\n\n").replace("`None`", "`null`");
    // [`Item`](path) is for those who read the code.
    let mut reworded = String::new();
    let mut rest = &*text;
    while let Some((before, link)) = rest.split_once("[`") {
        reworded += before;
        let end = link.split_once("`]").map(|(item, after)| {
            let after = after
                .strip_prefix('(')
                .and_then(|path| path.split_once(')'))
                .map_or(after, |(_, after)| after);
            (item, after)
        });
        let Some((item, after)) = end else {
            rest = link;
            continue;
        };
        reworded.extend(["`", item, "`"]);
        rest = after;
    }
    reworded + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_in_the_words_of_json() {
        let text =
            "One line\nand two: `None` for [`Item`](super::Item) and [`Other`],\nsee [a.md](a.md).\n\nMore.";
        let expected = "One line and two: `null` for `Item` and `Other`, see [a.md](a.md).\n\nMore.";
        assert_eq!(reworded(text), expected);
    }
}
