//! The schemas of `docs/schemas`, by which each JSON document of the driver is checked.

use jsonschema::{Draft, Validator};
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::sync::{Arc, LazyLock, Mutex};

/// Those that were read so far, by name.
static VALIDATORS: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// Fails where a document is not as its schema says, or has members that the schema does not have.
pub fn check(document: &Value) -> Result<(), String> {
    let schema = document["schema"].as_str().unwrap_or_default();
    let validator = validator(schema)?;
    if validator.is_valid(document) {
        return Ok(());
    }
    let errors = validator.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path()));
    let errors: Vec<String> = errors.take(3).collect();
    Err(format!("not as {schema} says: {errors:#?}"))
}

fn validator(name: &str) -> Result<Arc<Validator>, String> {
    if let Some(validator) = VALIDATORS.lock().unwrap().get(name) {
        return Ok(Arc::clone(validator));
    }
    let path = super::repository().join("docs/schemas").join(format!("{name}.json"));
    let text = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut schema = serde_json::from_slice(&text).unwrap();
    close(&mut schema);
    let validator = Arc::new(jsonschema::options().with_draft(Draft::Draft202012).build(&schema).unwrap());
    VALIDATORS.lock().unwrap().insert(name.to_owned(), Arc::clone(&validator));
    Ok(validator)
}

/// Published schemas leave objects open, so that readers take documents with members that come
/// later. A test shall find such members.
fn close(schema: &mut Value) {
    let each = |value: Option<&mut Value>| match value {
        Some(Value::Object(schemas)) => schemas.iter_mut().for_each(|(_, schema)| close(schema)),
        Some(Value::Array(schemas)) => schemas.iter_mut().for_each(close),
        _ => {}
    };
    let Some(members) = schema.as_object_mut() else { return };
    for key in ["properties", "$defs", "anyOf", "oneOf", "allOf", "prefixItems"] {
        each(members.get_mut(key));
    }
    members.get_mut("items").map(close);
    if !members.contains_key("properties") {
        return;
    }
    // A choice has members of the object that it is in; only that knows them all.
    let choices = ["oneOf", "anyOf"].iter().find(|key| members.contains_key(**key));
    let Some(Value::Array(choices)) = choices.and_then(|key| members.get_mut(*key)) else {
        members.insert("additionalProperties".to_owned(), false.into());
        return;
    };
    for choice in choices.iter_mut().filter_map(Value::as_object_mut) {
        choice.remove("additionalProperties");
    }
    members.insert("unevaluatedProperties".to_owned(), false.into());
}
