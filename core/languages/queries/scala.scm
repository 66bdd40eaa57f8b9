(package_clause name: (_) @name) @package
(import_declaration) @import
[(comment) (block_comment)] @comment

(class_definition name: (_) @name) @definition.class
(class_definition name: (_) @name body: (_) @body) @definition.class
(object_definition name: (_) @name) @definition.object
(object_definition name: (_) @name body: (_) @body) @definition.object
(trait_definition name: (_) @name) @definition.trait
(trait_definition name: (_) @name body: (_) @body) @definition.trait
(enum_definition name: (_) @name body: (_) @body) @definition.enum
(simple_enum_case name: (_) @name) @definition.enumerator
(type_definition name: (_) @name type: (_) @type) @definition.type
(instance_expression (type_identifier) @name (template_body) @body) @definition.anonymous
(function_definition name: (_) @name body: (_) @body) @definition.function
(function_definition name: (_) @name parameters: (_) @parameters) @definition.function
(function_definition name: (_) @name return_type: (_) @type) @definition.function
(function_definition name: (_) @name body: (_) @value) @definition.function
(function_declaration name: (_) @name) @definition.function
(function_declaration name: (_) @name parameters: (_) @parameters) @definition.function
(function_declaration name: (_) @name return_type: (_) @type) @definition.function
(val_definition pattern: (identifier) @name type: (_)? @type value: (_) @value) @property
(var_definition pattern: (identifier) @name type: (_)? @type value: (_) @value) @property
(val_declaration name: (_) @name type: (_) @type) @property
(extension_definition parameters: (parameters (parameter type: (_) @type))) @attach

(extends_clause [(type_identifier) (generic_type) (stable_type_identifier)] @base)
(type_parameters name: (_) @name) @generic

(block) @block
(lambda_expression) @block
(case_clause) @block
(for_expression) @loop
(while_expression) @loop

(class_parameter name: (_) @name type: (_) @type default_value: (_)? @value) @parameter
(parameter name: (_) @name type: (_) @type default_value: (_)? @value) @parameter
(lambda_expression parameters: (identifier) @name @lambda)
(lambda_expression parameters: (bindings (binding name: (_) @name @lambda)))
(enumerator . (identifier) @name . (_) @value) @each
(typed_pattern pattern: (identifier) @name type: (_) @type) @pattern
(assignment_expression left: (_) @name right: (_) @value) @assign

(call_expression arguments: (_) @arguments) @call
(instance_expression) @call
(instance_expression arguments: (_) @arguments) @call
(block (field_expression) @bare)
(val_definition value: (field_expression) @bare)
(arguments (field_expression) @bare)
(function_definition body: (field_expression) @bare)
(field_expression value: (field_expression) @bare)
(block (identifier) @bare)
(function_definition body: (identifier) @bare)
