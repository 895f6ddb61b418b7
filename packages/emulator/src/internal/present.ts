/** A record without the fields that are undefined: nothing is sent of what is not there. */

type Present<T> = {
  readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K]
} & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

export const present = <T extends object>(fields: T): Present<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>
