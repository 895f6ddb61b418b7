/** Set before a run is loaded. */
// Nobody reads the stacks of a run: to take them would be half of its time.
Error.stackTraceLimit = 0

export {}
