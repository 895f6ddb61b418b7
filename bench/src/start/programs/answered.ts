/** The times of a program, in milliseconds. */
export interface Times {
  /** From the start of the process until its modules were loaded. A program imports this module last. */
  readonly imported: number
  /** From the start of the process until the first answer. */
  readonly answered: number
  /** The CPU time of the process until then. */
  readonly cpu: number
}

const imported = performance.now()

/** Prints the times, and ends the process. */
export const answered = (answer: unknown): void => {
  if (answer === undefined || answer === null) throw new Error("no answer")
  const { system, user } = process.cpuUsage()
  const times: Times = { imported, answered: performance.now(), cpu: (system + user) / 1_000 }
  process.stdout.write(JSON.stringify(times), () => process.exit())
}

/** The address of the service. */
export const origin = process.env["ORIGIN"] ?? ""
