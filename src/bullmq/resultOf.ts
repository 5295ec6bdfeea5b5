import { attemptOnce } from '../client/attempt/attemptOnce.ts';
import { redactedFailure } from '../client/attempt/AttemptFailure.ts';
import type { ClientCore } from '../client/ClientCore.ts';
import type { Factory } from '../client/Factory.ts';
import { FlowError } from '../errors/index.ts';
import type { FlowClient } from '../flow/index.ts';
import type { PageData } from './JobData.ts';
import { lostFailure, type Result } from './Result.ts';

/** Requests a page once. Calls `stop` if this client can send no more requests. */
export async function resultOf(
  core: ClientCore,
  client: FlowClient,
  { operation, query, stage, rows, missing, lazy, keep, condition, poll }: PageData,
  stop: (error: Error) => void,
): Promise<Result> {
  const factory = Object.hasOwn(client, operation) ? (client[operation as keyof FlowClient] as unknown as Factory) : undefined;
  if (factory?.operation === undefined) {
    return { failure: { ...lostFailure, kind: 'final', what: `this worker's client has no ${operation}` }, ms: 0 };
  }
  const request = {
    operation: factory.operation,
    query,
    rows,
    missing,
    lazy: core.transport.secrets.clean && lazy,
    label: stage,
    keep,
    condition,
    poll,
    number: 1,
  };
  const outcome = await attemptOnce(core, request);
  if (outcome.kind === 'refused') {
    const { error } = outcome;
    // The service asks for a long pause. The leader decides what that means for the run.
    if (error.pausedUntil !== undefined) {
      const details = { retryAfterMs: error.pausedUntil - core.settings.clock.wall() };
      return {
        failure: { kind: 'throttled', error: 'RateLimitError', what: 'the service accepts no more requests for now', details },
        ms: 0,
      };
    }
    stop(error);
    return { failure: lostFailure, ms: 0 };
  }
  const { limit } = outcome;
  const ms = Math.ceil(outcome.ms);
  if (outcome.kind === 'response') {
    const { response, bytes, raw } = outcome;
    return { response, bytes, raw, ms, limit };
  }
  const failure = redactedFailure(outcome.failure, (text) => core.transport.secrets.redact(text));
  if (failure.kind === 'auth' && failure.renewed !== true) stop(new FlowError(`the service refused this worker's key: ${failure.what}`));
  return { failure, ms, limit };
}
