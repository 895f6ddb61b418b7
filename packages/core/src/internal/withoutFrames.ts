/** Errors without frames in their stack. */

/**
 * Makes an error whose stack is its name and its message. An error of an answer is made when a socket is read, so the
 * frames would name nothing but files of ours and of Effect, and would cost more than the rest of the error.
 */
export const withoutFrames = <E>(make: () => E): E => {
  const limit: unknown = Reflect.get(Error, "stackTraceLimit")
  // Where the intrinsics are frozen, the frames stay.
  Reflect.set(Error, "stackTraceLimit", 0)
  try {
    return make()
  } finally {
    Reflect.set(Error, "stackTraceLimit", limit)
  }
}
