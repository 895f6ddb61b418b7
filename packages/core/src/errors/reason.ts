/**
 * What the codes of failed connections mean for a person. Messages append it to the code, which stays the `reason` of the
 * error and the label of the metrics. Pure.
 *
 * @stability unstable
 */

const meanings: ReadonlyArray<readonly [code: RegExp, meaning: string]> = [
  [/^ECONNREFUSED$/, "nothing listens at the address"],
  [/^(?:ENOTFOUND|EAI_\w+)$/, "the host is not known: see whether its name is right"],
  [
    /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?)$/,
    "the certificate of the address comes from an unknown authority: the option ca names one to trust"
  ],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "the certificate of the address is for another host"],
  [
    /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/,
    "the address speaks no TLS: see whether its port is right"
  ],
  [/^PROXY_407$/, "the proxy of the option proxy (HTTPS_PROXY) wants another login"],
  [/^PROXY_\w+$/, "the proxy of the option proxy (HTTPS_PROXY) opened no connection"],
  [/^(?:ECONNRESET|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/, "the connection broke before a whole answer"]
]

/** Appends to a code what it means, if it is known. Returns any other reason unchanged. */
export const explain = (reason: string): string => {
  const meaning = meanings.find(([code]) => code.test(reason))?.[1]
  return meaning === undefined ? reason : `${reason}, ${meaning}`
}
