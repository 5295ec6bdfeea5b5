export type { FailedAttempts } from './FailedAttempts.ts';
export type { FailureKind } from './TrawlerError.ts';
export { TrawlerError, type ErrorDetails } from './TrawlerError.ts';
export * from './errors.ts';
