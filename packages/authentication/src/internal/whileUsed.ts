/**
 * A value that is kept only while something uses it, and made again on its next use. For what holds no state: a process
 * may have thousands of sessions, and most of them do nothing.
 */
export const whileUsed = <A extends object>(make: () => A): (() => A) => {
  let last: WeakRef<A> | undefined
  return () => {
    const used = last?.deref()
    if (used !== undefined) return used
    const made = make()
    last = new WeakRef(made)
    return made
  }
}
