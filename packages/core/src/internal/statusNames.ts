/**
 * Names of errors among the statuses of HTTP, as the RFCs, Spring and .NET have them, and of gRPC: plain, in lower case.
 * A service may send one in place of a number.
 */

/** These names always mean an error. */
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
 * These names may also be the state of a record, such as an order. gRPC's `CANCELLED` is in neither list, because a service
 * says it of an order that it has cancelled.
 */
export const alsoStates =
  "aborted alreadyexists conflict gone internal locked notfound paymentrequired unknown upgraderequired"
