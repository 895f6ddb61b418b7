/** HTML's names of characters, as a service escapes them. */

/** HTML's names of the characters that tokens and JSON contain beside letters and digits. */
const entities: Map<string, string> = new Map(
  Object.entries({
    amp: "&",
    apos: "'",
    ast: "*",
    bsol: "\\",
    colon: ":",
    comma: ",",
    commat: "@",
    dollar: "$",
    equals: "=",
    excl: "!",
    grave: "`",
    gt: ">",
    hat: "^",
    hyphen: "-",
    lbrace: "{",
    lbrack: "[",
    lcub: "{",
    lowbar: "_",
    lpar: "(",
    lsqb: "[",
    lt: "<",
    num: "#",
    percnt: "%",
    period: ".",
    plus: "+",
    quest: "?",
    quot: '"',
    rbrace: "}",
    rbrack: "]",
    rcub: "}",
    rpar: ")",
    rsqb: "]",
    semi: ";",
    sol: "/",
    tilde: "~",
    verbar: "|",
    vert: "|"
  })
)

/** The names of U+00A0 to U+00BF, and of U+00DF to U+00FF, which are those of the capital letters too. */
const latin: ReadonlyArray<readonly [first: number, names: string]> = [
  [
    0xa0,
    "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest"
  ],
  [
    0xdf,
    "szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml"
  ]
]
for (const [first, names] of latin) {
  for (const [at, name] of names.split(" ").entries()) entities.set(name, String.fromCharCode(first + at))
}

/** The character of a name such as `amp`, or -1. */
export const namedCharacter = (name: string): number => entities.get(name)?.charCodeAt(0) ?? -1
