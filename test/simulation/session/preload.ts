/** Set before a run is loaded. */
// Nobody reads the stacks of a run, and capturing them would take half of its time.
Error.stackTraceLimit = 0
// Nor does anybody follow a fiber from one turn to the next: without this module, Effect takes no note of it.
const builtin = process.getBuiltinModule.bind(process)
process.getBuiltinModule = ((name: string) =>
  name === "node:async_hooks" ? undefined : builtin(name)) as typeof builtin

export {}
