export { type Column, columnsOf, volatileFields } from './columnsOf.ts';
export type { DataOf, Operation, OperationSpec, QueryOf, RowAt, RowOf } from './Operation.ts';
export { headerIn } from './pagingOf.ts';
export { type PageHeaders, pageHeadersOf, type PagingRequest, pagingRequestOf } from './PagingRequest.ts';
export { kindOf as pagingKindOf, lackingParams, type Paging } from '../../operators/walk/paging/pagingKinds.ts';
export type { ParamFormat, ParamSpec, ParamType, ParamValue, QueryIssue, QueryValue, Rule } from './Param.ts';
export { connectionHeaders, type Finding, type ResponseStore, type StoredResponse, type StoreRequest } from './ResponseStore.ts';
export { addressOf, type FanOutSource, type FanOutSpec, type PriceSpec, type Service } from './Service.ts';
export type { FanOutPart } from './SearchWords.ts';
export { costPath, isPaid, leftIn, pagePrice, paidFor, requestPrice, type Priced } from './requestPrice.ts';
export { sandboxKey, usualJob } from './EnvelopeSpec.ts';
export type { EnvelopeSpec, JobSpec, KnownLimit, LimitSpec, ReportedLimit } from './EnvelopeSpec.ts';
export { failureMeanings, isNotThere, type FailureMeaning, type FailureSpec } from './FailureSpec.ts';
export type { RefreshSpec, ServiceSpec, Sign, SignedHeaders, TokenSpec, UnsignedRequest } from './Service.ts';
export { needsOf, variablesOf, withVariables, type Needs } from './secrets.ts';
export type { TypeOf, Flat, ObjectShape, OtherText, Shape } from './Shape.ts';
export { type NotAPage, type UnreadList, unreadList, unusableRows, whyNotAPage } from './whyNotAPage.ts';
export { answerOperation, answerRows, answerTablesOf } from './answerTables.ts';
export { fieldAt, rowPlaceOf, rowShape, rowsIn } from './fieldAt.ts';
export { fieldsOf, type Field, kindOfShape, type KindOfShape, leafOf, type LeafParts } from './Shape.ts';
export { envelopeOf, responseOf, variantFor, type ResponseSpec } from './envelopeOf.ts';
export { responseJsonSchema, rowJsonSchema, type JsonSchema } from './jsonSchema.ts';
export type { ResponseIssue } from './checkResponse/findIssues.ts';
export { DriftWatch, checkResponse, responseIssues, type DriftCount, type ResponseCheck } from './checkResponse/DriftWatch.ts';
export { batchOf, batchIds, rowsOfIds, type BatchParam } from './queriesOf.ts';
export { bodyFormats, type BodyFormat } from './Param.ts';
export { checkQuery } from './checkQuery/checkQuery.ts';
export { canonicalQuery, coerceQuery } from './coerceQuery.ts';
export { defineOperation, defineService, loadService } from './defineService.ts';
export { describeOperation, type OperationDescription, type ParamDescription, listsOf, type ListOf } from './describeOperation.ts';
export { stepOfBounds, timesOf } from './timeParams.ts';
export { meansTime, timeFault, timeText, writtenTime } from './timeText.ts';
export { instead, nearestName } from '../../operators/check/nearestName.ts';
export type { OuterColumns, RowsAt } from '../../operators/walk/rowsAt.ts';
export { entriesOf, idOf, pathsOf, queriesOf, type FanOutPage, type FanOutQuery } from './queriesOf.ts';
export {
  isAddressOnly,
  jobPath,
  nextAddress,
  planOf,
  requestBody,
  requestDigest,
  requestHeaders,
  requestPath,
  routeOf,
} from './request.ts';
