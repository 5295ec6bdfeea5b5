export type { FailedAttempts } from './FailedAttempts.ts';
export type { FailureKind } from './failureKinds.ts';
export { TrawlerError, type ErrorDetails } from './TrawlerError.ts';
export * from './errors.ts';
