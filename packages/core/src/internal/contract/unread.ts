/**
 * A value of an answer that could not be read as the contract says. It stands in our JSON under the name of its field,
 * where no codec takes it: a promised field is refused, and of any other the value is kept under `extra`, as it came.
 */
export class Unread {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
}

/** A value as it came. */
export const raw = (value: unknown): unknown => (value instanceof Unread ? value.value : value)
