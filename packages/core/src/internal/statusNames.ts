/**
 * Names of errors among the statuses of HTTP, as the RFCs, Spring and .NET have them, and of gRPC: plain, in lower case.
 * A service may send one in place of a number.
 */

/** Nothing else has such a name. */
export const certain =
  "badrequest unauthorized unauthorised forbidden methodnotallowed notacceptable proxyauthenticationrequired " +
  "requesttimeout lengthrequired preconditionfailed payloadtoolarge contenttoolarge requestentitytoolarge uritoolong " +
  "requesturitoolong unsupportedmediatype rangenotsatisfiable requestedrangenotsatisfiable expectationfailed iamateapot " +
  "misdirectedrequest unprocessableentity unprocessablecontent faileddependency tooearly preconditionrequired " +
  "toomanyrequests requestheaderfieldstoolarge unavailableforlegalreasons internalservererror notimplemented " +
  "badgateway serviceunavailable gatewaytimeout httpversionnotsupported variantalsonegotiates insufficientstorage " +
  "loopdetected bandwidthlimitexceeded notextended networkauthenticationrequired " +
  "dataloss deadlineexceeded failedprecondition invalidargument outofrange permissiondenied resourceexhausted " +
  "unauthenticated unavailable unimplemented"

/**
 * An order or a wallet may be in a state of such a name. gRPC's `CANCELLED` is in neither list: it is what a service says
 * of an order that it has cancelled.
 */
export const alsoStates =
  "aborted alreadyexists conflict gone internal locked notfound paymentrequired unknown upgraderequired"
