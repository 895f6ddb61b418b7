/**
 * A page: one document, and the files that it loads beside it. Its headers make the browser load only these files, run
 * only their code, and reach only the server that the page comes from.
 *
 * @since 0.1.0
 * @siblings `cli` makes its page of payouts with it.
 */
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { readFileSync } from "node:fs"

/**
 * Makes a text safe inside HTML.
 *
 * @since 0.1.0
 * @category parts
 */
export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/**
 * A table in a card. The code of the page fills the table's body, which has the `id`. A column that begins with `>` is
 * right-aligned.
 *
 * @since 0.1.0
 * @category parts
 */
export const table = (id: string, title: string, columns: ReadonlyArray<string>, classes = ""): string => `
<section class="card ${classes}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
<div class="scroll" id="${id}-scroll" tabindex="0" role="region" aria-labelledby="${id}-title">
<table><thead><tr>${columns
  .map((column) =>
    column.startsWith(">") ? `<th scope="col" class="end">${column.slice(1)}</th>` : `<th scope="col">${column}</th>`
  )
  .join("")}</tr></thead><tbody id="${id}"></tbody></table>
</div>
</section>`

const headers = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff"
}

const types = { js: "text/javascript", css: "text/css" }

/** Where a package keeps what runs in the browser, in its sources as in the published package. */
const browserFolder = (manifest: string): URL => new URL("src/browser/", manifest)

/**
 * Makes a page. Returns the answer for a path relative to the page: the document for `""`, or one of its files.
 * `undefined` if the page has no such file.
 *
 * `manifest` is the URL of the `package.json` of the page's package, which has the page's code and style in
 * `src/browser/page.js` and `src/browser/page.css`. The code imports `./parts.js`. `visible` makes the invisible characters
 * of a text visible: the page runs its source in the browser, so it uses nothing from outside.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: {
  readonly title: string
  readonly body: string
  readonly manifest: string
  readonly visible: (text: string) => string
}): ((path: string) => HttpServerResponse.HttpServerResponse | undefined) => {
  const own = browserFolder(options.manifest)
  const shared = browserFolder(import.meta.resolve("@effect-custody/emulator/package.json"))
  const document = HttpServerResponse.html(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(options.title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="parts.css">
<link rel="stylesheet" href="page.css">
<script type="module" src="page.js"></script>
</head>
<body>
${options.body}
</body>
</html>
`)
  const file = (folder: URL, name: string, type: keyof typeof types) => {
    const text = readFileSync(new URL(`${name}.${type}`, folder), "utf8")
    return [`${name}.${type}`, HttpServerResponse.text(text, { contentType: types[type] })] as const
  }
  const visibleCode = ["export { visible }", `const visible = ${String(options.visible)}`].join("\n")
  const answers = new Map([
    ["", document],
    ["visible.js", HttpServerResponse.text(visibleCode, { contentType: types.js })],
    file(shared, "parts", "js"),
    file(shared, "parts", "css"),
    file(own, "page", "js"),
    file(own, "page", "css")
  ])
  return (path) => {
    const answer = answers.get(path)
    return answer && HttpServerResponse.setHeaders(answer, headers)
  }
}
