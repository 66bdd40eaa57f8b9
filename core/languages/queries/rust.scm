(use_declaration) @import
(mod_item name: (_) @name body: (_) @body) @definition.namespace
(mod_item name: (_) @name !body) @import
(extern_crate_declaration) @import
[(line_comment) (block_comment)] @comment

(struct_item name: (_) @name) @definition.struct
(union_item name: (_) @name) @definition.union
(enum_item name: (_) @name body: (_) @body) @definition.enum
(trait_item name: (_) @name body: (_) @body) @definition.trait
(type_item name: (_) @name type: (_) @type) @definition.type
(associated_type name: (_) @name) @definition.type
(macro_definition name: (_) @name) @definition.macro
(function_item name: (_) @name parameters: (_) @parameters return_type: (_)? @type body: (_) @body) @definition.function
(function_signature_item name: (_) @name parameters: (_) @parameters return_type: (_)? @type) @definition.function
(const_item name: (_) @name type: (_) @type value: (_)? @value) @definition.constant
(static_item name: (_) @name type: (_) @type value: (_) @value) @definition.variable
(field_declaration name: (_) @name type: (_) @type) @definition.field
(struct_item body: (ordered_field_declaration_list type: (_) @type @definition.element))
(enum_variant name: (_) @name body: (_)? @body) @definition.enumerator
(enum_variant body: (ordered_field_declaration_list type: (_) @type @definition.element))

(impl_item trait: (_)? @trait type: (_) @type body: (_) @body) @attach
(trait_item bounds: (trait_bounds (_) @base))

(type_parameter name: (_) @name bounds: (trait_bounds . (_) @type)?) @generic
(where_predicate left: (type_identifier) @name bounds: (trait_bounds . (_) @type)) @generic

(block) @block
(closure_expression) @block
(if_expression) @block
(match_arm) @block
(for_expression) @loop
(while_expression) @loop
(loop_expression) @loop

(let_declaration pattern: (identifier) @name type: (_)? @type value: (_)? @value) @variable
(let_declaration pattern: (tuple_struct_pattern) value: (_) @value) @matched
(let_condition value: (_) @value) @matched
(match_expression value: (_) @value) @matched
(tuple_struct_pattern type: (_) @wrapper . (identifier) @name) @unpack
(tuple_struct_pattern type: (_) @wrapper . (ref_pattern (identifier) @name)) @unpack
(tuple_struct_pattern type: (_) @wrapper . (mut_pattern (identifier) @name)) @unpack
(tuple_struct_pattern type: (_) @wrapper . (reference_pattern (identifier) @name)) @unpack
(parameter pattern: (identifier) @name type: (_) @type) @parameter
(parameter pattern: [(tuple_pattern) (reference_pattern) (tuple_struct_pattern) (struct_pattern) (slice_pattern) "_"] type: (_) @type) @parameter
(closure_parameters (identifier) @name @lambda)
(closure_parameters (reference_pattern (identifier) @name @lambda))
(for_expression pattern: (identifier) @name value: (_) @value) @each
(for_expression pattern: (reference_pattern (identifier) @name) value: (_) @value) @each
(for_expression pattern: (tuple_pattern (_) . (identifier) @name .) value: (_) @value) @each
(assignment_expression left: (_) @name right: (_) @value) @assign

(call_expression arguments: (_) @arguments) @call
(macro_invocation) @call
(macro_invocation (token_tree) @text_calls)
