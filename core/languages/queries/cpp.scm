; What a C++ function body holds that resolution needs, in one pass.
(call_expression) @call
(new_expression) @new
(delete_expression) @delete
(declaration) @declaration
(parameter_declaration) @parameter
(optional_parameter_declaration) @parameter
(for_range_loop) @range
(lambda_expression) @lambda
(assignment_expression) @assignment
(binary_expression) @operator
(unary_expression) @operator
(subscript_expression) @operator
(field_initializer) @member
(compound_literal_expression) @literal
(using_declaration) @using
(initializer_pair) @pair
