/** A page as one document, with its style and script inline. The browser loads and runs nothing else. */
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Base64 from "effect/encoding/Base64"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

const sourceOf = (text: string): string => `'sha256-${Base64.encode(sha256(utf8ToBytes(text)))}'`

export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** JSON that is safe inside a script element. */
export const json = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c")

export interface Document {
  readonly title: string
  readonly style: string
  readonly body: string
  readonly script?: string
}

/** A document as a response, which can be served repeatedly. */
export const response = ({ body, script = "", style, title }: Document): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
${body}
${script === "" ? "" : `<script>${script}</script>`}
</body>
</html>
`,
    {
      contentType: "text/html; charset=utf-8",
      headers: {
        "cache-control": "no-store",
        "content-security-policy": [
          "default-src 'none'",
          `style-src ${sourceOf(style)}`,
          `script-src ${script === "" ? "'none'" : sourceOf(script)}`,
          "connect-src 'self'",
          "img-src data:",
          "base-uri 'none'",
          "form-action 'none'",
          "frame-ancestors 'none'"
        ].join("; "),
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff"
      }
    }
  )
