(namespace_definition name: (_) @name !body) @package
(namespace_definition name: (_) @name body: (_) @body) @definition.namespace
(namespace_use_declaration) @import
(require_once_expression) @import
(require_expression) @import
(include_once_expression) @import
(include_expression) @import
(comment) @comment

(class_declaration name: (_) @name body: (_) @body) @definition.class
(interface_declaration name: (_) @name body: (_) @body) @definition.interface
(trait_declaration name: (_) @name body: (_) @body) @definition.trait
(enum_declaration name: (_) @name body: (_) @body) @definition.enum
(object_creation_expression (anonymous_class (base_clause (_) @name) body: (_) @body)) @definition.anonymous
(function_definition name: (_) @name parameters: (_) @parameters return_type: (_)? @type body: (_) @body) @definition.function
(method_declaration name: (_) @name parameters: (_) @parameters return_type: (_)? @type body: (_)? @body) @definition.method
(property_declaration type: (_)? @type (property_element name: (variable_name (name) @name) default_value: (_)? @value)) @definition.field
(const_element (name) @name (_)? @value) @definition.constant
(enum_case name: (_) @name) @definition.enumerator

(base_clause (_) @base)
(class_interface_clause (_) @base)
(declaration_list (use_declaration [(name) (qualified_name)] @base))

(compound_statement) @block
(anonymous_function) @block
(arrow_function) @block
(catch_clause) @block
(foreach_statement) @loop
(for_statement) @loop
(while_statement) @loop

(simple_parameter type: (_)? @type name: (_) @name default_value: (_)? @value) @parameter
(property_promotion_parameter type: (_)? @type name: (variable_name (name) @name) default_value: (_)? @value) @promoted
(variadic_parameter type: (_)? @type name: (_) @name) @spread
(catch_clause type: (type_list . (_) @type) name: (_) @name) @parameter
(foreach_statement . (_) @value . (variable_name) @name) @each
(foreach_statement . (_) @value . (pair (_) (variable_name) @name)) @each
(binary_expression left: (variable_name) @name operator: "instanceof" right: (_) @type) @pattern
(assignment_expression left: (_) @name right: (_) @value) @assign
(return_statement (_) @value) @return

(function_call_expression arguments: (_) @arguments) @call
(member_call_expression arguments: (_) @arguments) @call
(nullsafe_member_call_expression arguments: (_) @arguments) @call
(scoped_call_expression arguments: (_) @arguments) @call
(object_creation_expression (arguments)? @arguments) @call
