/** What a status says by itself. */

/** Whether a status is a 2xx. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** Whether a status leaves open what the service has done. A proxy that gives up sends 408 or 499. */
export const isDoubtful = (status: number): boolean => status < 400 || status >= 500 || status === 408 || status === 499
