(package_declaration (_) @name) @package
(import_declaration) @import
[(line_comment) (block_comment)] @comment

(class_declaration name: (_) @name body: (_) @body) @definition.class
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(annotation_type_declaration name: (_) @name body: (_) @body) @definition.interface
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(record_declaration name: (_) @name parameters: (_) @parameters body: (_) @body) @definition.class
(object_creation_expression type: (_) @name (class_body) @body) @definition.anonymous

(method_declaration type: (_) @type name: (_) @name parameters: (_) @parameters body: (_)? @body) @definition.method
(constructor_declaration name: (_) @name parameters: (_) @parameters body: (_) @body) @definition.constructor
(compact_constructor_declaration name: (_) @name body: (_) @body) @definition.constructor
(annotation_type_element_declaration type: (_) @type name: (_) @name) @definition.method
(field_declaration type: (_) @type declarator: (variable_declarator name: (_) @name value: (_)? @value)) @definition.field
(constant_declaration type: (_) @type declarator: (variable_declarator name: (_) @name value: (_)? @value)) @definition.constant
(enum_constant name: (_) @name body: (_)? @body) @definition.enumerator

(superclass (_) @base)
(super_interfaces (type_list (_) @base))
(extends_interfaces (type_list (_) @base))

(type_parameter (type_identifier) @name (type_bound . (_) @type)?) @generic

(block) @block
(lambda_expression) @block
(if_statement) @block
(catch_clause) @block
(switch_block_statement_group) @block
(switch_rule) @block
(try_with_resources_statement) @block
(for_statement) @loop
(while_statement) @loop
(do_statement) @loop
(enhanced_for_statement) @loop

(local_variable_declaration type: (_) @type declarator: (variable_declarator name: (_) @name value: (_)? @value)) @variable
(resource type: (_) @type name: (_) @name value: (_) @value) @variable
(formal_parameter type: (_) @type name: (_) @name) @parameter
(spread_parameter (_) @type (variable_declarator name: (_) @name)) @spread
(catch_formal_parameter (catch_type . (_) @type) name: (_) @name) @parameter
(enhanced_for_statement type: (_) @type name: (_) @name value: (_) @value) @each
(instanceof_expression right: (_) @type name: (_) @name) @pattern
(type_pattern (_) @type (identifier) @name) @pattern
(lambda_expression parameters: (identifier) @name) @lambda
(lambda_expression parameters: (inferred_parameters (identifier) @name)) @lambda
(assignment_expression left: (_) @name right: (_) @value) @assign

(method_invocation arguments: (_) @arguments) @call
(object_creation_expression arguments: (_) @arguments) @call
(explicit_constructor_invocation arguments: (_) @arguments) @call
(method_reference) @reference
