(using_directive) @import
(namespace_declaration name: (_) @name body: (_) @body) @definition.namespace
(file_scoped_namespace_declaration name: (_) @name) @package
(comment) @comment

(class_declaration name: (_) @name) @definition.class
(class_declaration name: (_) @name body: (_) @body) @definition.class
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(struct_declaration name: (_) @name) @definition.struct
(struct_declaration name: (_) @name body: (_) @body) @definition.struct
(record_declaration name: (_) @name) @definition.class
(record_declaration name: (_) @name body: (_) @body) @definition.class
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(delegate_declaration name: (_) @name parameters: (_) @parameters) @definition.type
(method_declaration returns: (_) @type name: (_) @name parameters: (_) @parameters) @definition.method
(method_declaration name: (_) @name body: (_) @body) @definition.method
(method_declaration name: (_) @name parameters: (parameter_list . (parameter (modifier) @_this type: (_) @extends)) (#eq? @_this "this")) @definition.method
(local_function_statement type: (_) @type name: (_) @name parameters: (_) @parameters body: (_) @body) @definition.function
(constructor_declaration name: (_) @name parameters: (_) @parameters body: (_) @body) @definition.constructor
(operator_declaration type: (_) @type operator: _ @name parameters: (_) @parameters body: (_) @body) @definition.method
(property_declaration type: (_) @type name: (_) @name) @definition.property
(field_declaration (variable_declaration type: (_) @type (variable_declarator name: (_) @name (_)? @value))) @definition.field
(event_field_declaration (variable_declaration type: (_) @type (variable_declarator name: (_) @name))) @definition.field
(enum_member_declaration name: (_) @name) @definition.enumerator

(base_list (_) @base)
(type_parameter name: (_) @name) @generic
(type_parameter_constraints_clause . (identifier) @name . (type_parameter_constraint type: (_) @type)) @generic

(block) @block
(lambda_expression) @block
(if_statement) @block
(switch_section) @block
(catch_clause) @block
(using_statement) @block
(for_statement) @loop
(foreach_statement) @loop
(while_statement) @loop
(do_statement) @loop

(local_declaration_statement (variable_declaration type: (_) @type (variable_declarator name: (_) @name))) @variable
(local_declaration_statement (variable_declaration type: (_) @type (variable_declarator name: (_) @name (_) @value))) @variable
(using_statement (variable_declaration type: (_) @type (variable_declarator name: (_) @name (_) @value))) @variable
(parameter type: (_) @type name: (_) @name) @parameter
(catch_declaration type: (_) @type name: (_) @name) @pattern
(foreach_statement type: (_) @type left: (_) @name right: (_) @value) @each
(declaration_pattern type: (_) @type name: (_) @name) @pattern
(lambda_expression parameters: (implicit_parameter) @name @lambda)
(lambda_expression parameters: (parameter_list (parameter name: (_) @name !type) @lambda))
(assignment_expression left: (_) @name right: (_) @value) @assign

(invocation_expression arguments: (_) @arguments) @call
(object_creation_expression arguments: (_)? @arguments) @call
(constructor_initializer (argument_list) @arguments) @call
