(package_header (_) @name) @package
(import) @import
[(line_comment) (block_comment)] @comment

(class_declaration "class" name: (_) @name) @definition.class
(class_declaration "interface" name: (_) @name) @definition.interface
(class_declaration name: (_) @name (class_body) @body) @definition.class
(class_declaration "interface" name: (_) @name (class_body) @body) @definition.interface
(class_declaration name: (_) @name (enum_class_body) @body) @definition.enum
(object_declaration name: (_) @name) @definition.object
(companion_object) @static
(type_alias type: (_) @name (_) @type .) @definition.type
(enum_entry (identifier) @name) @definition.enumerator

(function_declaration name: (_) @name (function_value_parameters) @parameters) @definition.function
(function_declaration name: (_) @name (function_value_parameters) . [(user_type) (nullable_type) (function_type)] @type) @definition.function
(function_declaration [(user_type) (nullable_type)] @receiver . name: (_) @name) @definition.function
(function_declaration name: (_) @name (function_body) @body) @definition.function
(function_declaration name: (_) @name (function_body "=" (_) @value)) @definition.function
(secondary_constructor (function_value_parameters) @parameters) @definition.constructor
(secondary_constructor (block) @body) @definition.constructor
(property_declaration (variable_declaration (identifier) @name)) @property
(property_declaration (variable_declaration (identifier) @name [(user_type) (nullable_type) (function_type)] @type)) @property
(property_declaration (variable_declaration (identifier) @name) "=" (_) @value) @property

(delegation_specifier (constructor_invocation (user_type) @base))
(delegation_specifier (user_type) @base)
(explicit_delegation (user_type) @base)
(type_parameter (identifier) @name (user_type)? @type) @generic

(block) @block
(if_expression) @block
(when_entry) @block
(catch_block) @block
(for_statement) @loop
(while_statement) @loop
(lambda_literal) @implicit

(class_parameter (identifier) @name [(user_type) (nullable_type) (function_type)] @type) @parameter
(parameter (identifier) @name [(user_type) (nullable_type) (function_type)] @type) @parameter
(lambda_parameters (variable_declaration . (identifier) @name) @lambda)
(for_statement (variable_declaration . (identifier) @name) . (_) @value) @each
(is_expression left: (identifier) @name "is" right: (_) @type) @pattern
(assignment left: (_) @name right: (_) @value) @assign

(call_expression) @call
(call_expression (value_arguments) @arguments) @call
(call_expression (annotated_lambda) @trailing) @call
(callable_reference) @reference
