(comment) @comment
(module name: (_) @name) @definition.namespace
(class name: (_) @name) @definition.class
(class name: (_) @name body: (_) @body) @definition.class
(module name: (_) @name body: (_) @body) @definition.namespace
(singleton_class) @static
(method name: (_) @name) @definition.method
(method name: (_) @name parameters: (_) @parameters) @definition.method
(method name: (_) @name body: (_) @body) @definition.method
(method name: (_) @name body: (body_statement (_) @value .)) @definition.method
(singleton_method name: (_) @name) @definition.method
(singleton_method name: (_) @name parameters: (_) @parameters) @definition.method
(singleton_method name: (_) @name body: (_) @body) @definition.method
(singleton_method name: (_) @name body: (body_statement (_) @value .)) @definition.method
(call method: (identifier) @_attr arguments: (argument_list (simple_symbol) @name)
  (#any-of? @_attr "attr_reader" "attr_accessor" "attr_writer")) @definition.property
(assignment left: (constant) @name right: (_) @value) @definition.constant

(superclass (_) @base)
(call method: (identifier) @_mix arguments: (argument_list [(constant) (scope_resolution)] @base)
  (#any-of? @_mix "include" "extend" "prepend"))
(call method: (identifier) @_req arguments: (argument_list (string))
  (#any-of? @_req "require" "require_relative" "load" "autoload")) @import

(do_block) @block
(block) @block
(while) @loop
(until) @loop

(method_parameters (identifier) @name @parameter)
(optional_parameter name: (_) @name value: (_) @value) @parameter
(splat_parameter name: (_) @name) @spread
(hash_splat_parameter name: (_) @name) @spread
(keyword_parameter name: (_) @name) @spread
(block_parameters (identifier) @name @lambda)
(assignment left: (_) @name right: (_) @value) @assign
(operator_assignment left: (_) @name right: (_) @value) @assign
(return (argument_list (_) @value)) @return

(call) @call
(call arguments: (argument_list) @arguments) @call
(call arguments: (argument_list) @arguments block: (_) @_block) @call
(body_statement (super) @call)
(assignment right: (super) @call)
(block_body (identifier) @bare)
(body_statement (identifier) @bare)
(then (identifier) @bare)
(else (identifier) @bare)
(argument_list (identifier) @bare)
(assignment right: (identifier) @bare)
(call receiver: (identifier) @bare)
(if condition: (identifier) @bare)
(unless condition: (identifier) @bare)
(if_modifier (identifier) @bare)
(unless_modifier (identifier) @bare)
(binary (identifier) @bare)
(interpolation (identifier) @bare)
