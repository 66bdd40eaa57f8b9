(comment) @comment
(function_definition name: (_) @name body: (_) @body) @definition.function
(command name: (command_name) @_name argument: (_) (#any-of? @_name "source" ".")) @import
(command name: (command_name (word))) @call
