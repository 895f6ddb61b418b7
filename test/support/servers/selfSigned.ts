/** Makes a self-signed certificate: the parts of X.509 that TLS needs, written by hand. */
import * as Crypto from "node:crypto"

const der = (tag: number, ...contents: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(contents)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...contents: ReadonlyArray<Uint8Array>) => der(0x30, ...contents)
const oid = (...bytes: ReadonlyArray<number>) => der(0x06, Buffer.from(bytes))
const utcTime = (text: string) => der(0x17, Buffer.from(text))

const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
const commonName = oid(0x55, 0x04, 0x03)
const subjectAltName = oid(0x55, 0x1d, 0x11)

const named = (name: string) => sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(name)))))

/** The key and certificate of `localhost` and 127.0.0.1, valid until 2049. Its authority has this name. */
export const selfSigned = (authority = "localhost"): { readonly key: string; readonly cert: string } => {
  const { privateKey, publicKey } = Crypto.generateKeyPairSync("ec", { namedCurve: "P-256" })
  const name = named(authority)
  const alternatives = sequence(der(0x82, Buffer.from("localhost")), der(0x87, Buffer.from([127, 0, 0, 1])))
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(utcTime("250101000000Z"), utcTime("491231235959Z")),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(sequence(subjectAltName, der(0x04, alternatives))))
  )
  const signature = Crypto.sign("sha256", toBeSigned, privateKey)
  const whole = sequence(toBeSigned, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature))
  return {
    key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString("base64").replaceAll(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`
  }
}
