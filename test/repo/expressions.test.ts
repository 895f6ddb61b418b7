import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { parseSync, Visitor } from "vite"

const packages = Path.resolve(import.meta.dirname, "../../packages")

/** An input that drives an expression into its worst case: a beginning, what is repeated, and an end. */
type Worst = readonly [before: string, repeated: string, after: string]

/**
 * Every regular expression of the packages. One that is added is added here, with the input that would take it longest:
 * repeat what its longest loop takes, and end with what it does not take.
 */
const listed: Readonly<Record<string, Readonly<Record<string, Worst>>>> = {
  "authentication/src/internal/tokenResponse.ts": {
    "/^(?!\\$?[<[{].*[>\\]}]$)(?!.*\\*{3})./s": ["<", "*", "a"]
  },
  "cli/src/internal/document/har.ts": {
    "/\\d/": ["", "a", ""],
    "/^v\\d{1,4}$/": ["v", "0", "!"]
  },
  "cli/src/internal/document/openApi.ts": {
    "/10\\s?(?:\\^|\\*\\*)\\s?[-−](\\d{1,2})/": ["", "10 **", ""],
    "/milli|\\bms\\b/": ["", "mill", ""],
    "/unix|epoch|timestamp/": ["", "timestam", ""]
  },
  "cli/src/internal/match/general.ts": {
    "/^(?:.*\\.)?_?links\\.next(?:\\.href)?$/": ["", "a._links.next", "!"],
    "/^v\\d{1,4}$/": ["v", "0", "!"]
  },
  "cli/src/internal/match/propose.ts": {
    "/(?:^i|I)d$/": ["", "Id", "!"]
  },
  "cli/src/internal/match/words.ts": {
    "/([a-z0-9])([A-Z])/g": ["", "aA", ""],
    "/[^a-z0-9]+/": ["", "_", ""]
  },
  "conformance/src/internal/errorStatements.ts": {
    "/^E\\d{5}$/": ["E", "0", ""]
  },
  "conformance/src/internal/judgement.ts": {
    "/^\\w{1,12}$/": ["", "a", "!"]
  },
  "conformance/src/internal/openQuestions.ts": {
    "/^(?!.*(?:rate-?limit|retry-after|version|deprecation|sunset))/i": ["", "rate-", ""],
    "/^-?\\d+(?:\\.\\d+)?$/": ["1.", "0", "!"],
    "/amount|balance|price|total|fee|quantity/i": ["", "amoun", ""],
    "/rate-?limit|retry-after/i": ["", "rate-", ""],
    "/version|deprecation|sunset/i": ["", "versio", ""]
  },
  "conformance/src/internal/probe.ts": {
    "/^E\\d{5}$/": ["E", "0", ""]
  },
  "conformance/src/internal/sessionStatements.ts": {
    "/generated/i": ["", "generate", ""]
  },
  "conformance/src/internal/values.ts": {
    "/\\p{C}/gu": ["", "\u0000", ""]
  },
  "core/src/Environment.ts": {
    "/[?#]/": ["", "/", ""],
    "/[\\s\\p{Cc}\\\\]/u": ["", "a", ""],
    "/^127(?:\\.\\d{1,3}){3}$/": ["127", ".1", ""],
    "/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i": ["", "a", ""],
    "/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*(?::\\d{1,5})?$/i": [
      "a",
      ".aa",
      "-"
    ],
    "/^https?:\\/\\/[^/]/i": ["https://", "/", ""]
  },
  "core/src/RequestHeaders.ts": {
    "/^[!#$%&'*+.^_`|~0-9a-z-]+$/": ["", "a", " "]
  },
  "core/src/internal/requestHeaders.ts": {
    "/^[\\t\\x20-\\x7e\\x80-\\xff]+$/": ["", "a", "\n"]
  },
  "core/src/internal/answerExcerpt.ts": {
    "/[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]/g": ["", "\u0000", ""],
    "/[\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]/g": ["", "\u0000", ""]
  },
  "core/src/internal/cachedAnswer.ts": {
    "/(?:^|[^a-z=])(?:hit|stale|updating)/i": ["", " updatin", ""]
  },
  "core/src/internal/outcomeLabel.ts": {
    "/^[A-Z][A-Z\\d_]{1,63}$/": ["E", "A", "!"],
    "/^\\w[\\w.-]{0,31}$/": ["", "a", "!"]
  },
  "core/src/internal/contract/checkOperation.ts": {
    "/[\\s?#\\\\]/": ["", "a", ""]
  },
  "core/src/internal/contract/checkParts.ts": {
    "/[\\w!#$%&'*+.^`|~-]/": ["", " ", ""]
  },
  "core/src/internal/contract/problem.ts": {
    "/[^a-z0-9]/g": ["", "_", ""],
    "/^Expected /": ["", "Expected", ""]
  },
  "core/src/internal/directExchange.ts": {
    "/^(https?:\\/\\/[^/?#@\\\\]+)((?:\\/[\\w\\-.~]+)*)\\/?$/": ["https://a", "/a", "!"],
    "/^\\/[\\w\\-.~!$&'()*+,;=:@%/]*$/": ["/", "/", "#"]
  },
  "core/src/internal/envelope.ts": {
    "/^(?:id|status|hash|reference)$|(?:Id|_id|ID)$/": ["", "Id", "!"]
  },
  "core/src/internal/exactJson.ts": {
    "/(?:^|[ \\n\\r\\t:,[])-?\\d(?:[\\d.]{15}|[\\d.]{0,14}[eE])/": ["", "[-1", ""],
    "/[eE]/": ["", "1", ""],
    "/^-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?$/": ["1", "0", "e!"]
  },
  "core/src/internal/jsonText.ts": {
    "/[\\w.+-]{1,20}|[^]/uy": ["", "a", ""],
    "/\\n/g": ["", "\n", ""],
    "/^\\uFEFF/": ["", "\ufeff", ""]
  },
  "core/src/internal/falseSuccess.ts": {
    "/^(?:2\\d\\d|true|ok|success(?:ful)?|succeeded|accepted|created|completed?|done)$/i": ["success", "ful", "!"],
    "/^(?:is_?)?(?:ok|success(?:ful)?|succeeded)$/i": ["is_success", "ful", "!"],
    "/^err|error|exception|fail/i": ["", "erro", ""],
    "/^E\\d{5}$/": ["E", "0", ""],
    "/^[45]\\d\\d$/": ["4", "0", ""]
  },
  "core/src/Text.ts": {
    "/\\S/": ["", " ", "\t"]
  },
  "core/src/internal/sendPhase.ts": {
    "/^[A-Z][A-Z0-9_]{2,39}$/": ["E", "A", "!"]
  },
  "core/src/internal/upload.ts": {
    '/[\\r\\n"]/g': ["", "\r", ""],
    "/[\\r\\n]+/g": ["", "\r", "a"]
  },
  "emulator/src/internal/categories/transactions.ts": {
    "/error/i": ["", "erro", ""],
    "/rejected/i": ["", "rejecte", ""]
  },
  "emulator/src/internal/http/exactJson.ts": {
    "/^-?[0.]*(?:[eE]|$)/": ["-", "0", "1"]
  },
  "emulator/src/internal/http/guard.ts": {
    "/^(?:(?:[\\w-]+\\.)*localhost|127(?:\\.\\d{1,3}){3}|\\[::1\\])(?::\\d+)?$/i": ["", "a.", ""],
    "/^(?:::1|(?:::ffff:)?127(?:\\.\\d{1,3}){3})$/": ["::ffff:127", ".1", ""]
  },
  "emulator/src/internal/http/routes.ts": {
    "/^-?\\d+(?:\\.\\d+)?$/": ["1.", "0", "!"]
  },
  "emulator/src/internal/http/wireFormat.ts": {
    "/^(?:decimals|transactionCount|itemsPerPage|currentPage|total\\w+)$/": ["total", "a", "!"],
    "/^[1-9]\\d{0,14}$/": ["1", "0", ""],
    "/^id$|(?<!^client|^external|^asset|^network)Id$/": ["", "Id", "!"]
  },
  "emulator/src/internal/page/document.ts": {
    "/[&<>\"']/g": ["", "&", ""]
  },
  "emulator/src/internal/state/money.ts": {
    "/^-?\\d{1,1000}e-?\\d{1,5}$/": ["", "1", "e"]
  },
  "node/src/NodeCustody.ts": {
    "/^[^\\0]*$/": ["", "a", "\u0000"]
  },
  "node/src/TokenStoreSqlite.ts": {
    "/^[^\\0]*$/": ["", "a", "\u0000"]
  },
  "node/src/internal/undiciHttpClient.ts": {
    "/^(https?:\\/\\/[^/?#@\\\\]+)(\\/[\\w\\-.~!$&'()*+,;=:@%/]*)$/": ["http://a", "/a", '"']
  },
  "postgres/src/TokenStorePostgres.ts": {
    "/^(?=.*[0-9])[0-9A-Z]{5}$/": ["", "0", "!"],
    "/^[A-Z_]{1,40}$/": ["", "A", "!"]
  },
  "testing/src/WireLog.ts": {
    "/[?#].*$/s": ["?", "?", ""]
  },
  "testing/src/internal/arbitraries.ts": {
    "/^(?:(\\w+)Ids?|id)$/": ["", "Id", "!"],
    "/^Known: (.+?)\\. Others may come/": ["Known: ", ". Others", ""]
  },
  "testing/src/internal/bodies.ts": {
    '/\\bfilename="([^"]*)"/': ["", "filename=", ""],
    '/\\bname="([^"]*)"/': ["", "name=", ""],
    "/^content-type: *(.*)$/im": ["", "content-type: \n", ""],
    '/boundary="?([^";]+)/': ["", "boundary=", ""]
  },
  "testing/src/internal/recorder.ts": {
    "/json|text|xml|urlencoded/": ["", "jso", ""]
  },
  "testing/src/internal/secretLabels.ts": {
    '/"([\\w-]{1,64})"\\s{0,64}:\\s{0,64}"/g': ["", '"a" :', ""],
    "/[^a-z0-9]/g": ["", "-", ""]
  },
  "testing/src/internal/transcript.ts": {
    "/\\r?\\n/": ["", "\r", ""]
  },
  "transactions/src/internal/comparison.ts": {
    "/(?:Z|GMT|UTC|[+-]\\d\\d:?\\d\\d)$/i": ["", "+00:0", "!"],
    "/[*…]|\\.{3}/": ["", "..-", ""],
    "/[a-z0-9]/": ["", "-", ""],
    "/[\\w-]+/g": ["", "a", "!"],
    "/^(?:0x)?0*/": ["0x", "0", "!"],
    "/^0x[\\da-f]+$/": ["0x", "a", "!"],
    "/^[\\da-f]+$/": ["", "a", "!"]
  },
  "transactions/src/internal/parties.ts": {
    "/[-_ ]/g": ["", "-", ""],
    "/^(?:beneficiary|dest|destination|payee|receiver|recipients?|target|to)(?:client|customer|external)/": [
      "destination",
      "clien",
      ""
    ],
    "/^(?:beneficiary|payee|receiver|recipients?)(?:id)?$/": ["", "recipient", ""],
    "/^(?:dest|destination|target|to)(?:id)?$/": ["", "destination", ""],
    "/^(?:from|origin|originator|payer|sender|source)(?:client|customer|external)/": ["originator", "clien", ""],
    "/^(?:from|origin|source)(?:id)?$/": ["", "origin", ""],
    "/^(?:originator|payer|sender)(?:id)?$/": ["", "originator", ""],
    "/^(?:tx|transaction)?(?:direction|kind|type)$/": ["transaction", "type", "!"],
    "/^0x|[\\da-z]{25}/i": ["", "aaaaaaaaaaaaaaaaaaaaaaaa-", ""],
    "/^in$|incoming|swap|allowance/": ["", "incomin", ""],
    "/address|email|label|name|network|status|type|wallet/": ["", "addres", ""],
    "/internal/": ["", "interna", ""],
    "/outgoing/": ["", "outgoin", ""]
  },
  "transactions/src/internal/shownAmount.ts": {
    "/charge|commission|cost|fee|gas/i": ["", "c", "!"]
  },
  "transactions/src/internal/note.ts": {
    "/[\\d#*]\\uFE0F?\\u20E3|[^\\p{ASCII}]/gu": ["", "1", ""],
    "/[^\\p{L}\\p{M}\\p{N}]/gu": ["", "a", ""],
    "/\\D/": ["", "0", ""],
    "/\\D/g": ["", "0", ""],
    "/\\p{ASCII}/u": ["", "é", ""],
    "/\\p{N}/u": ["", "a", ""],
    "/[?*\\uFFFD]/g": ["", "a", ""]
  },
  "transactions/src/internal/noteText.ts": {
    "/^[\\da-f]{12,}$/i": ["", "a", "!"],
    "/^[a-z\\d+/_-]{6,}$/i": ["", "a", "!"],
    "/={1,2}$/": ["", "=", "!"],
    "/[[<{(](?:[a-z]+[ _-]){0,3}(?:account|address|card|email|filtered|hidden|iban|link|masked|name|number|phone|pii|redacted|removed|url)[\\]>})]|#{3,}|x{4,}/gi":
      ["", "[aaaa_", "!"],
    "/&#(\\d{1,7});/g": ["", "&#1234567", ""],
    "/&#x([\\da-f]{1,6});/gi": ["", "&#x123456", ""],
    "/&([a-z])(?:uml|acute|grave|circ|tilde|cedil|ring|slash|caron);/gi": ["", "&acute", ""],
    "/&([a-z\\d]{2,8});/gi": ["", "&abcdefgh", ""],
    "/(?:[%=][\\da-f]{2})+/gi": ["", "%2", ""],
    "/(?:&#?\\w{0,8}|%[\\da-f]?|\\\\u?[\\da-f]{0,3})$/i": ["", "&abcdefgh", "!"],
    "/<[^<>]*>/g": ["", "<", ""],
    "/[%=]/": ["", "a", ""],
    "/[?*\\uFFFD]/": ["", "a", ""],
    "/[^\\p{L}\\p{M}\\p{N}?*\\uFFFD]/gu": ["", "a", ""],
    "/[^\\p{L}\\p{M}\\p{N}]+/gu": ["", "-", "a"],
    "/\\\\[nrt]/g": ["", "\\", ""],
    "/\\\\u([\\da-f]{4})/gi": ["", "\\u123", ""],
    "/\\p{Script=Inherited}/gu": ["", "\u0301", ""],
    "/^0x/i": ["", "0", ""],
    "/^[^\\p{C}\\uFFFD]{6,}$/u": ["", "a", "\n"],
    "/…|\\.{3}/g": ["", "..-", ""]
  }
}

interface Found {
  readonly expressions: ReadonlySet<string>
  readonly constructed: number
}

/** The expressions that a file is written with, and how often it makes one at run time. */
const expressionsOf = (file: string): Found => {
  const expressions = new Set<string>()
  let constructed = 0
  const construct = ({ callee }: { readonly callee: object }) => {
    if ("name" in callee && callee.name === "RegExp") constructed++
  }
  new Visitor({
    Literal: (literal) => {
      if ("regex" in literal) expressions.add(`/${literal.regex.pattern}/${literal.regex.flags}`)
    },
    NewExpression: construct,
    CallExpression: construct
  }).visit(parseSync(file, readFileSync(Path.join(packages, file), "utf8")).program)
  return { expressions, constructed }
}

const files = globSync("*/src/**/*.ts", { cwd: packages }).map((file) => file.split(Path.sep).join("/"))

/** An expression as it is written, such as `/a+/g`. */
const expressionOf = (written: string): RegExp => {
  const end = written.lastIndexOf("/")
  return new RegExp(written.slice(1, end), written.slice(end + 1))
}

/** Reads a text as often as a program would: once, or with each match. */
const read = (expression: RegExp, text: string): number =>
  expression.global ? [...text.matchAll(expression)].length : expression.exec(text) === null ? 0 : 1

/** What any expression may be given. */
const anything = [
  "a",
  "0",
  " ",
  "/",
  "\\",
  '"',
  ".",
  ":",
  "-",
  "a.",
  "/a",
  "0.",
  "\n",
  "\r",
  "&",
  "%2e",
  "[",
  "{",
  "=",
  "€"
]

describe("regular expressions of the packages", () => {
  it("are all in the list, and none of the list is gone", () => {
    const found = Object.fromEntries(
      files
        .map((file) => [file, [...expressionsOf(file).expressions].sort()] as const)
        .filter(([, all]) => all.length > 0)
    )
    assert.deepStrictEqual(
      found,
      Object.fromEntries(Object.entries(listed).map(([file, all]) => [file, Object.keys(all).sort()]))
    )
  })

  it("are literals: none is made of data", () => {
    assert.deepStrictEqual(
      files.filter((file) => expressionsOf(file).constructed > 0),
      []
    )
  })

  // With steps that grow with the square of the size these would not end: 10¹⁰ of them.
  for (const [file, expressions] of Object.entries(listed)) {
    for (const [written, [before, repeated, after]] of Object.entries(expressions)) {
      it(`${file}: ${written} reads its worst case in steps in proportion to its size`, () => {
        const expression = expressionOf(written)
        read(expression, before + repeated.repeat(100_000) + after)
        for (const unit of anything) {
          for (const end of ["", "!", "\n"]) read(expression, before + unit.repeat(20_000) + end)
        }
      })
    }
  }
})
