/** Makes the invisible characters of a text visible. The server makes this file: see `Page.make`. */
export const visible: (text: string) => string
