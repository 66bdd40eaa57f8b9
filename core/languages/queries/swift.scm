(import_declaration) @import
[(comment) (multiline_comment)] @comment

(class_declaration declaration_kind: "class" name: (_) @name body: (_) @body) @definition.class
(class_declaration declaration_kind: "actor" name: (_) @name body: (_) @body) @definition.class
(class_declaration declaration_kind: "struct" name: (_) @name body: (_) @body) @definition.struct
(class_declaration declaration_kind: "enum" name: (_) @name body: (_) @body) @definition.enum
(class_declaration declaration_kind: "extension" name: (_) @type body: (_) @body) @attach
(class_declaration declaration_kind: "extension" name: (_) @type (inheritance_specifier inherits_from: (_) @trait)) @attach
(protocol_declaration name: (_) @name body: (_) @body) @definition.interface
(typealias_declaration name: (type_identifier) @name (_) @type .) @definition.type
(function_declaration name: (simple_identifier) @name) @definition.function
(function_declaration name: (simple_identifier) @name body: (function_body) @body) @definition.function
(protocol_function_declaration name: (simple_identifier) @name) @definition.function
(init_declaration name: "init" body: (_)? @body) @definition.constructor
(property_declaration name: (pattern bound_identifier: (_) @name)) @property
(property_declaration name: (pattern bound_identifier: (_) @name) (type_annotation (_) @type)) @property
(property_declaration name: (pattern bound_identifier: (_) @name) value: (_) @value) @property
(protocol_property_declaration name: (pattern bound_identifier: (_) @name) (type_annotation (_) @type)) @property
(enum_entry name: (simple_identifier) @name) @definition.enumerator

(inheritance_specifier inherits_from: (_) @base)
(type_parameter (type_identifier) @name) @generic
(type_parameter . (type_identifier) @name name: (_) @type) @generic

(if_statement) @block
(switch_entry) @block
(catch_block) @block
(for_statement) @loop
(while_statement) @loop
(lambda_literal) @implicit

(parameter name: (simple_identifier) @name . (_) @type) @parameter
(lambda_parameter name: (simple_identifier) @name) @lambda
(for_statement item: (pattern bound_identifier: (_) @name) collection: (_) @value) @each
(if_statement bound_identifier: (_) @name @variable . "=" . (_) @value)
(guard_statement bound_identifier: (_) @name @variable . "=" . (_) @value)
(assignment target: (_) @name result: (_) @value) @assign

(call_expression) @call
(call_expression (call_suffix (value_arguments) @arguments)) @call
(call_expression (call_suffix (lambda_literal) @trailing)) @call
