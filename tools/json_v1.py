#!/usr/bin/env python3
"""Maps a JSON document of version 2 to that of version 1 (docs/json-migration.md): json_v1.py < new.json > old.json

A document of a command that answered about several cubins of one file becomes `nvdwarf.images`; OPERAND is the file as it
was given. Version 1 gave some facts by the exit status only; these are not in the documents of either version.

Words for people are not a part of a version. `without_words` takes out those that have changed, of documents of both
versions, so that these can be compared.
"""

import json
import re
import sys

# Documents that version 1 had one of for each cubin, without an array `files`.
SINGLE = {"nvdwarf.lines", "nvdwarf.dump", "nvdwarf.vars", "nvdwarf.sections", "nvdwarf.strip", "nvdwarf.merc_plan",
          "nvdwarf.merc_self_check"}
# Of these without `code`.
WITHOUT_CODE = {"nvdwarf.strip", "nvdwarf.merc_plan", "nvdwarf.merc_self_check"}
# What stood in place of an answer.
NO_FINDINGS = {"sm": None, "errors": 0, "warnings": 0, "notes": 0, "findings": []}
NO_IMAGES = {"kind": None, "count": 0, "images": []}
# Rules of `check` that found warnings only; what a compiler does by design is a note now.
WARNINGS = {"F006", "F007", "L004", "L006", "T002"}
# Rules of `check` whose findings and summaries have other words; of `verify` it is E007.
REWORDED = {"F006", "F007", "L004", "T002"}
# Members that version 1 did not have, by document.
NEW_MEMBERS = {
    "nvdwarf.sections": {"arch", "abi_version", "release", "release_source"},
    "nvdwarf.dump": {"arch", "abi_version", "release", "release_source"},
}
# Members of rules that version 1 did not have.
NEW_OF_RULES = ["why", "mend", "example"]


def element(schema, item):
    """An element of `files` as version 1 had it."""
    if "error" in item:
        file, error = item["file"], item["error"]
        if schema == "nvdwarf.verify":
            return {**item, **NO_FINDINGS}
        if schema == "nvdwarf.check":
            return {**item, "findings": []}
        if schema == "nvdwarf.extract":
            return {"file": file, **NO_IMAGES, "errors": [f"{file}: {error}"]}
        return item
    if schema == "nvdwarf.check":
        findings = [{**finding, "severity": severity(finding)} for finding in item["findings"]]
        return {**item, "findings": findings}
    return item


def severity(finding):
    """How bad version 1 took a finding of `check` for."""
    return "warning" if finding["code"] in WARNINGS else finding["severity"]


def elements(schema, items):
    """The array `files`. That a file has no code for a minimum of `coverage` version 1 said on standard error only."""
    if schema == "nvdwarf.coverage":
        answered = {item["file"] for item in items if "error" not in item}
        items = [item for item in items if "error" not in item or item["file"] not in answered]
        items = [{key: value for key, value in item.items() if key != "no_code"} for item in items]
    return [element(schema, item) for item in items]


def self_check_words(item):
    """Version 1 called sections `not told` that are `not checked` now."""
    item["verdicts"] = [
        {"not_told" if key == "not_checked" else key: value for key, value in verdict.items()} for verdict in item["verdicts"]
    ]
    item["sections"] = [
        {**section, "outcome": section["outcome"].replace("not checked", "not told")} for section in item["sections"]
    ]


def single(schema, item):
    """The document of one cubin, or of a file without an answer."""
    item = {key: value for key, value in item.items() if key not in NEW_MEMBERS.get(schema, ())}
    if schema in WITHOUT_CODE:
        item.pop("code", None)
    if schema == "nvdwarf.merc_self_check" and "error" not in item:
        self_check_words(item)
    return {"schema": schema, "schema_version": 1, **item}


def version_1(document, operand=None):
    """The document of version 1."""
    schema = document["schema"]
    old = {**document, "schema_version": 1}
    if schema == "nvdwarf.check.rules":
        rules = [{key: value for key, value in rule.items() if key not in NEW_OF_RULES} for rule in old["rules"]]
        return {**old, "rules": [{**rule, "severity": severity(rule)} for rule in rules]}
    files = old.pop("files", None)
    if files is None:
        return old
    if schema not in SINGLE:
        return {**old, "files": elements(schema, files)}
    if len(files) == 1 and operand in (None, files[0]["file"]):
        return single(schema, files[0])
    images = [item if "error" in item else single(schema, item) for item in files]
    return {"schema": "nvdwarf.images", "schema_version": 1, "file": operand, "images": images}


def has_no_answer(document):
    """Whether a document of version 2 says only why there is no answer: `diff` and `strip` of version 1 then wrote none."""
    return "error" in document or any("error" in item for item in document.get("files", []))


def without_words(document):
    """The document without the words that have changed since version 1."""
    schema = document["schema"]
    if schema == "nvdwarf.check.rules":
        for rule in document["rules"]:
            if rule["code"] in REWORDED:
                del rule["summary"]
    elif schema in ("nvdwarf.check", "nvdwarf.verify"):
        for finding in (finding for file in document["files"] for finding in file["findings"]):
            if schema == "nvdwarf.check" and finding["code"] in REWORDED:
                finding["message"] = finding["help"] = None
            if schema == "nvdwarf.verify" and finding["code"] == "E007":
                finding["found"] = finding["expected"] = None
    elif schema == "nvdwarf.diff":
        for difference in document.get("differences", []):
            if difference.get("place"):
                difference["place"] = re.sub(", 1 bytes differ$", ", 1 byte differs", difference["place"])
    return document


if __name__ == "__main__":
    json.dump(version_1(json.load(sys.stdin), *sys.argv[1:]), sys.stdout, indent=2)
    print()
