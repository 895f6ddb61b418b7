/**
 * A value of an answer that could not be read as the contract says. In our JSON it takes the place of its field, and no
 * codec accepts it: an answer without a promised field is refused, and the value of any other field is kept under
 * `extra`, unchanged.
 */
export class Unread {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
}

/** A value as it came. */
export const raw = (value: unknown): unknown => (value instanceof Unread ? value.value : value)
