//! The table of kinds of nodes.

use super::{FieldRow, FieldType, NodeKind};

/// What a kind of nodes is like.
pub(super) struct KindRow {
    pub(super) kind: NodeKind,
    /// As LLVM writes it, without `!`.
    pub(super) name: &'static str,
    /// In the order in which LLVM prints them.
    pub(super) fields: &'static [FieldRow],
    /// The fields that hold nodes, in the order of LLVM's operands: metadata gets its numbers in
    /// this order.
    pub(super) operands: &'static [&'static str],
}

const fn node(name: &'static str) -> FieldRow {
    FieldRow { name, value: FieldType::Node }
}

const fn text(name: &'static str) -> FieldRow {
    FieldRow { name, value: FieldType::Text }
}

const fn int(name: &'static str) -> FieldRow {
    FieldRow { name, value: FieldType::Integer }
}

const fn flag(name: &'static str) -> FieldRow {
    FieldRow { name, value: FieldType::Boolean }
}

const fn word(name: &'static str) -> FieldRow {
    FieldRow { name, value: FieldType::Word }
}

const fn bound(name: &'static str) -> FieldRow {
    FieldRow { name, value: FieldType::Bound }
}

const BOUNDS: &[FieldRow] = &[bound("count"), bound("lowerBound"), bound("upperBound"), bound("stride")];
const BOUND_OPERANDS: &[&str] = &["count", "lowerBound", "upperBound", "stride"];

/// Fields of LLVM 7 (libNVVM's old dialect), 14, 19 and those known of later ones.
pub(super) static KINDS: &[KindRow] = &[
    KindRow { kind: NodeKind::Tuple, name: "", fields: &[], operands: &[] },
    KindRow {
        kind: NodeKind::Location,
        name: "DILocation",
        fields: &[
            int("line"),
            int("column"),
            node("scope"),
            node("inlinedAt"),
            flag("isImplicitCode"),
            int("atomGroup"),
            int("atomRank"),
        ],
        operands: &["scope", "inlinedAt"],
    },
    KindRow {
        kind: NodeKind::Generic,
        name: "GenericDINode",
        fields: &[word("tag"), text("header"), FieldRow { name: "operands", value: FieldType::Operands }],
        operands: &["operands"],
    },
    KindRow { kind: NodeKind::Subrange, name: "DISubrange", fields: BOUNDS, operands: BOUND_OPERANDS },
    KindRow {
        kind: NodeKind::GenericSubrange,
        name: "DIGenericSubrange",
        fields: BOUNDS,
        operands: BOUND_OPERANDS,
    },
    KindRow {
        kind: NodeKind::Enumerator,
        name: "DIEnumerator",
        fields: &[text("name"), int("value"), flag("isUnsigned")],
        operands: &[],
    },
    KindRow {
        kind: NodeKind::BasicType,
        name: "DIBasicType",
        fields: &[
            word("tag"),
            text("name"),
            int("size"),
            int("align"),
            word("encoding"),
            int("num_extra_inhabitants"),
            word("flags"),
        ],
        operands: &[],
    },
    KindRow {
        kind: NodeKind::StringType,
        name: "DIStringType",
        fields: &[
            word("tag"),
            text("name"),
            node("stringLength"),
            node("stringLengthExpression"),
            node("stringLocationExpression"),
            int("size"),
            int("align"),
            word("encoding"),
        ],
        operands: &["stringLength", "stringLengthExpression", "stringLocationExpression"],
    },
    KindRow {
        kind: NodeKind::DerivedType,
        name: "DIDerivedType",
        fields: &[
            word("tag"),
            text("name"),
            node("scope"),
            node("file"),
            int("line"),
            node("baseType"),
            int("size"),
            int("align"),
            int("offset"),
            word("flags"),
            FieldRow { name: "extraData", value: FieldType::Constant },
            int("dwarfAddressSpace"),
            node("annotations"),
            int("ptrAuthKey"),
            flag("ptrAuthIsAddressDiscriminated"),
            int("ptrAuthExtraDiscriminator"),
            flag("ptrAuthIsaPointer"),
            flag("ptrAuthAuthenticatesNullValues"),
        ],
        operands: &["file", "scope", "baseType", "extraData", "annotations"],
    },
    KindRow {
        kind: NodeKind::CompositeType,
        name: "DICompositeType",
        fields: &[
            word("tag"),
            text("name"),
            node("scope"),
            node("file"),
            int("line"),
            node("baseType"),
            int("size"),
            int("align"),
            int("offset"),
            word("flags"),
            node("elements"),
            word("runtimeLang"),
            node("vtableHolder"),
            node("templateParams"),
            text("identifier"),
            node("discriminator"),
            node("dataLocation"),
            node("associated"),
            node("allocated"),
            bound("rank"),
            node("annotations"),
            node("specification"),
            word("enumKind"),
            bound("bitStride"),
        ],
        operands: &[
            "file",
            "scope",
            "baseType",
            "elements",
            "vtableHolder",
            "templateParams",
            "discriminator",
            "dataLocation",
            "associated",
            "allocated",
            "rank",
            "annotations",
            "specification",
            "bitStride",
        ],
    },
    KindRow {
        kind: NodeKind::SubroutineType,
        name: "DISubroutineType",
        fields: &[word("flags"), word("cc"), node("types")],
        operands: &["types"],
    },
    KindRow {
        kind: NodeKind::File,
        name: "DIFile",
        fields: &[
            text("filename"),
            text("directory"),
            word("checksumkind"),
            text("checksum"),
            text("source"),
        ],
        operands: &[],
    },
    KindRow {
        kind: NodeKind::CompileUnit,
        name: "DICompileUnit",
        fields: &[
            word("language"),
            node("file"),
            text("producer"),
            flag("isOptimized"),
            text("flags"),
            int("runtimeVersion"),
            text("splitDebugFilename"),
            word("emissionKind"),
            node("enums"),
            node("retainedTypes"),
            node("globals"),
            node("imports"),
            node("macros"),
            int("dwoId"),
            flag("splitDebugInlining"),
            flag("debugInfoForProfiling"),
            word("nameTableKind"),
            flag("rangesBaseAddress"),
            text("sysroot"),
            text("sdk"),
        ],
        operands: &["file", "enums", "retainedTypes", "globals", "imports", "macros"],
    },
    KindRow {
        kind: NodeKind::Subprogram,
        name: "DISubprogram",
        fields: &[
            text("name"),
            text("linkageName"),
            node("scope"),
            node("file"),
            int("line"),
            node("type"),
            flag("isLocal"),
            flag("isDefinition"),
            int("scopeLine"),
            node("containingType"),
            word("virtuality"),
            int("virtualIndex"),
            int("thisAdjustment"),
            word("flags"),
            word("spFlags"),
            flag("isOptimized"),
            node("unit"),
            node("templateParams"),
            node("declaration"),
            node("retainedNodes"),
            node("variables"),
            node("thrownTypes"),
            node("annotations"),
            text("targetFuncName"),
            flag("keyInstructions"),
        ],
        operands: &[
            "file",
            "scope",
            "type",
            "unit",
            "declaration",
            "retainedNodes",
            "variables",
            "containingType",
            "templateParams",
            "thrownTypes",
            "annotations",
        ],
    },
    KindRow {
        kind: NodeKind::LexicalBlock,
        name: "DILexicalBlock",
        fields: &[node("scope"), node("file"), int("line"), int("column")],
        operands: &["file", "scope"],
    },
    KindRow {
        kind: NodeKind::LexicalBlockFile,
        name: "DILexicalBlockFile",
        fields: &[node("scope"), node("file"), int("discriminator")],
        operands: &["file", "scope"],
    },
    KindRow {
        kind: NodeKind::Namespace,
        name: "DINamespace",
        fields: &[text("name"), node("scope"), node("file"), int("line"), flag("exportSymbols")],
        operands: &["file", "scope"],
    },
    KindRow {
        kind: NodeKind::Module,
        name: "DIModule",
        fields: &[
            node("scope"),
            text("name"),
            text("configMacros"),
            text("includePath"),
            text("sysroot"),
            text("isysroot"),
            text("apinotes"),
            node("file"),
            int("line"),
            flag("isDecl"),
        ],
        operands: &["file", "scope"],
    },
    KindRow {
        kind: NodeKind::CommonBlock,
        name: "DICommonBlock",
        fields: &[node("scope"), node("declaration"), text("name"), node("file"), int("line")],
        operands: &["scope", "declaration", "file"],
    },
    KindRow {
        kind: NodeKind::Macro,
        name: "DIMacro",
        fields: &[word("type"), int("line"), text("name"), text("value")],
        operands: &[],
    },
    KindRow {
        kind: NodeKind::MacroFile,
        name: "DIMacroFile",
        fields: &[word("type"), int("line"), node("file"), node("nodes")],
        operands: &["file", "nodes"],
    },
    KindRow {
        kind: NodeKind::TemplateTypeParameter,
        name: "DITemplateTypeParameter",
        fields: &[text("name"), node("type"), flag("defaulted")],
        operands: &["type"],
    },
    KindRow {
        kind: NodeKind::TemplateValueParameter,
        name: "DITemplateValueParameter",
        fields: &[
            word("tag"),
            text("name"),
            node("type"),
            flag("defaulted"),
            FieldRow { name: "value", value: FieldType::Constant },
        ],
        operands: &["type", "value"],
    },
    KindRow {
        kind: NodeKind::GlobalVariable,
        name: "DIGlobalVariable",
        fields: &[
            text("name"),
            text("linkageName"),
            node("scope"),
            node("file"),
            int("line"),
            node("type"),
            flag("isLocal"),
            flag("isDefinition"),
            node("declaration"),
            node("templateParams"),
            int("align"),
            node("annotations"),
        ],
        operands: &["scope", "file", "type", "declaration", "templateParams", "annotations"],
    },
    KindRow {
        kind: NodeKind::LocalVariable,
        name: "DILocalVariable",
        fields: &[
            text("name"),
            int("arg"),
            node("scope"),
            node("file"),
            int("line"),
            node("type"),
            word("flags"),
            int("align"),
            node("annotations"),
        ],
        operands: &["scope", "file", "type", "annotations"],
    },
    KindRow {
        kind: NodeKind::Label,
        name: "DILabel",
        fields: &[node("scope"), text("name"), node("file"), int("line")],
        operands: &["scope", "file"],
    },
    KindRow { kind: NodeKind::Expression, name: "DIExpression", fields: &[], operands: &[] },
    KindRow { kind: NodeKind::ArgList, name: "DIArgList", fields: &[], operands: &[] },
    KindRow {
        kind: NodeKind::GlobalVariableExpression,
        name: "DIGlobalVariableExpression",
        fields: &[node("var"), node("expr")],
        operands: &["var", "expr"],
    },
    KindRow {
        kind: NodeKind::ObjCProperty,
        name: "DIObjCProperty",
        fields: &[
            text("name"),
            node("file"),
            int("line"),
            text("setter"),
            text("getter"),
            int("attributes"),
            node("type"),
        ],
        operands: &["file", "type"],
    },
    KindRow {
        kind: NodeKind::ImportedEntity,
        name: "DIImportedEntity",
        fields: &[
            word("tag"),
            text("name"),
            node("scope"),
            node("entity"),
            node("file"),
            int("line"),
            node("elements"),
        ],
        operands: &["scope", "entity", "file", "elements"],
    },
    KindRow { kind: NodeKind::AssignId, name: "DIAssignID", fields: &[], operands: &[] },
    KindRow { kind: NodeKind::Unknown, name: "", fields: &[], operands: &[] },
];
