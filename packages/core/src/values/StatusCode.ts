/**
 * Interprets an HTTP status without the body.
 *
 * @stability unstable
 */

/** `true` for 2xx. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** `true` if the status leaves open what the service did. A proxy that gives up sends 408 or 499. */
export const isDoubtful = (status: number): boolean => status < 400 || status >= 500 || status === 408 || status === 499
