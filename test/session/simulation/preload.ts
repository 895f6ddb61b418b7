/** Settings that must come before a run is loaded. */
// No code reads the stacks of a run, and capturing them would take half of its time.
Error.stackTraceLimit = 0
// No code follows a fiber from one turn to the next. Without this module, Effect does not record it.
const builtin = process.getBuiltinModule.bind(process)
process.getBuiltinModule = ((name: string) =>
  name === "node:async_hooks" ? undefined : builtin(name)) as typeof builtin

export {}
