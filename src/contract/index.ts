export { type Column, columnsOf } from './columnsOf.ts';
export type { DataOf, Operation, OperationSpec, QueryOf, RowAt, RowOf } from './Operation.ts';
export type { Rule } from './Param.ts';
export type { Paging } from '../../operators/walk/paging/pagingKinds.ts';
export { type PagingRequest, pagingRequestOf } from './PagingRequest.ts';
export { kindOf as pagingKindOf, lackingParams } from '../../operators/walk/paging/pagingKinds.ts';
export type { ParamFormat, ParamSpec, ParamType, ParamValue, QueryValue } from './Param.ts';
export type { Finding, ResponseStore, StoredResponse, StoreRequest } from './ResponseStore.ts';
export type { FanOutPart, FanOutSource, FanOutSpec, Service } from './Service.ts';
export type { BucketLimit, KnownLimit, LimitSpec, ToldHeaders, ToldInBody } from './EnvelopeSpec.ts';
export { failureMeanings, type FailureMeaning, type FailureSpec, type FailureUntil } from './Service.ts';
export type { EnvelopeSpec } from './EnvelopeSpec.ts';
export type {
  BasicKey,
  HeaderKey,
  KeySpec,
  OAuth2Key,
  OAuth2Spec,
  ParamKey,
  SignedHeaders,
  SigningKey,
  UnsignedRequest,
} from './EnvelopeSpec.ts';
export type { RefreshSpec, TokenSpec } from './TokenSpec.ts';
export type { TypeOf, Flat, ObjectShape, OtherText, Shape } from './Shape.ts';
export { fieldAt } from './fieldAt.ts';
export { lackOf, type Lack } from './lackOf.ts';
export { rowPlaceOf, rowShape, rowsIn } from './fieldAt.ts';
export { fieldsOf, type Field, kindOfShape, type KindOfShape, leafOf, type LeafParts } from './Shape.ts';
export { responseOf, variantFor, type ResponseSpec } from './envelopeOf.ts';
export { responseJsonSchema, rowJsonSchema, type JsonSchema } from './openApi.ts';
export type { ResponseIssue } from './checkResponse/ResponseWatch.ts';
export { ResponseWatch, type DriftCount } from './checkResponse/ResponseWatch.ts';
export { checkResponse, responseIssues, type ResponseCheck } from './checkResponse/ResponseWatch.ts';
export { batchOf, batchIds, rowsOfIds, type BatchParam } from './queriesOf.ts';
export { bodyFormats, type BodyFormat } from './Param.ts';
export { usualJob, variableOf, type JobSpec, type SecretSpec } from './EnvelopeSpec.ts';
export { checkQuery } from './checkQuery/checkQuery.ts';
export type { QueryIssue } from './checkQuery/checkQuery.ts';
export { canonicalQuery } from './coerceQuery.ts';
export { coerceQuery } from './coerceQuery.ts';
export { defineOperation } from './defineService.ts';
export { defineService } from './defineService.ts';
export type { ServiceSpec } from './Service.ts';
export { describeOperation, type OperationDescription, type ParamDescription, listsOf, type ListOf } from './describeOperation.ts';
export { loadService } from './defineService.ts';
export { nearestName } from '../../operators/check/nearestName.ts';
export { envelopeOf } from './envelopeOf.ts';
export { openApi, type OpenApiOptions } from './openApi.ts';
export type { OuterColumns, RowsAt } from '../../operators/walk/valueAt.ts';
export { entriesOf, idOf, pathsOf, queriesOf, type FanOutPage, type FanOutQuery } from './queriesOf.ts';
export { nextAddress, requestPath } from './requestPath.ts';
export { hasBody, isAddressOnly } from './requestPath.ts';
export { requestBody, requestDigest, requestHeaders } from './requestBody.ts';
export { volatileFields } from './columnsOf.ts';
export { unusableRows } from './lackOf.ts';
export { unreadList, type UnreadList } from './lackOf.ts';
