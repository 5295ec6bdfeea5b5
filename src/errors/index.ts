export type { FailureKind } from './failureKinds.ts';
export { TrawlerError, type ErrorDetails } from './TrawlerError.ts';
export {
  InvalidQueryError,
  HttpError,
  AuthError,
  RateLimitError,
  EnvelopeError,
  PayloadError,
  DriftError,
  TimeoutError,
  NetworkError,
  PaginationError,
  BudgetError,
  ExpiredError,
  FlowError,
  SinkError,
  BusyError,
  StoreError,
} from './errors.ts';
