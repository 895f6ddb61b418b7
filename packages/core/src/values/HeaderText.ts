/** What an HTTP header can carry. Pure. */

/** Whether each character of a text can be in a header: those of Latin-1 that are printable, and tabs. */
export const isHeaderText = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]+$/.test(text)

/** Whether a value arrives unchanged: spaces and tabs around a header's value are dropped on the way. */
export const isHeaderValue = (value: string): boolean => isHeaderText(value) && value === value.trim()
