#!/usr/bin/env python3
"""Maps a JSON document of version 2 to that of version 1 (docs/json-migration.md): json_v1.py < new.json > old.json

A document of a command that answered about several cubins of one file becomes `nvdwarf.images`; OPERAND is the file as it
was given. Version 1 gave some facts by the exit status only; these are not in the documents of either version.
"""

import json
import sys

# Documents that version 1 had one of for each cubin, without an array `files`.
SINGLE = {"nvdwarf.lines", "nvdwarf.dump", "nvdwarf.vars", "nvdwarf.sections", "nvdwarf.strip", "nvdwarf.merc_plan",
          "nvdwarf.merc_self_check"}
# Of these without `code`.
WITHOUT_CODE = {"nvdwarf.strip", "nvdwarf.merc_plan", "nvdwarf.merc_self_check"}
# What stood in place of an answer.
NO_FINDINGS = {"sm": None, "errors": 0, "warnings": 0, "notes": 0, "findings": []}
NO_IMAGES = {"kind": None, "count": 0, "images": []}


def element(schema, item):
    """An element of `files` as version 1 had it."""
    if "error" in item:
        file, error = item["file"], item["error"]
        if schema == "nvdwarf.verify":
            return {**item, **NO_FINDINGS}
        if schema == "nvdwarf.check":
            return {**item, "findings": []}
        if schema == "nvdwarf.extract":
            return {"file": file, **NO_IMAGES, "errors": [error]}
        return item
    return item


def single(schema, item):
    """The document of one cubin, or of a file without an answer."""
    item = dict(item)
    if schema in WITHOUT_CODE:
        item.pop("code", None)
    return {"schema": schema, "schema_version": 1, **item}


def version_1(document, operand=None):
    """The document of version 1."""
    schema = document["schema"]
    old = {**document, "schema_version": 1}
    files = old.pop("files", None)
    if files is None:
        return old
    if schema not in SINGLE:
        return {**old, "files": [element(schema, item) for item in files]}
    if len(files) == 1 and operand in (None, files[0]["file"]):
        return single(schema, files[0])
    images = [item if "error" in item else single(schema, item) for item in files]
    return {"schema": "nvdwarf.images", "schema_version": 1, "file": operand, "images": images}


if __name__ == "__main__":
    json.dump(version_1(json.load(sys.stdin), *sys.argv[1:]), sys.stdout, indent=2)
    print()
