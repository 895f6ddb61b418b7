/**
 * How many informational answers, such as `100 Continue` and `103 Early Hints`, may precede an answer. Services send one;
 * a slow one may send `102 Processing` every second, for as long as its answer is waited for.
 */
export const most = 1_000

/** There were more: the connection is closed. Its stack would name this file, so there is none. */
export const tooMany = Object.assign(new Error(`more than ${most} informational answers`), {
  code: "TOO_MANY_INFORMATIONAL_ANSWERS",
  stack: undefined
})
