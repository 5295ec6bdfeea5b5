import type { Admission } from './admission/Admission.ts';
import type { Refusal, Task } from './admission/Task.ts';
import type { AnswerReader } from './answer/AnswerReader.ts';
import type { AttemptOwner, AttemptRequest, RunningAttempt } from './attempt/RunningAttempt.ts';
import type { RetryQuota } from './attempt/RetryQuota.ts';
import type { Transport } from './attempt/Transport.ts';
import type { EventHub } from './events/EventHub.ts';
import type { SpanReader } from './spans/SpanReader.ts';
import type { HealthBoard } from './health/HealthBoard.ts';
import type { Settings } from './options/resolveOptions.ts';
import type { OverloadSigns } from './rate/OverloadSigns.ts';
import type { StoreLane } from './store/StoreLane.ts';

export type MakeAttempt = (owner: AttemptOwner, request: AttemptRequest) => RunningAttempt;

/** What all calls of one client share. */
export interface ClientCore {
  readonly settings: Settings;
  readonly transport: Transport;
  /** Makes an attempt: by the transport, or by somebody else who has the key. */
  readonly attempt: MakeAttempt;
  /** Where calls look before they queue for a request; undefined without a store. */
  stored: StoreLane | undefined;
  readonly admission: Admission;
  readonly quota: RetryQuota;
  readonly signs: OverloadSigns;
  readonly reader: AnswerReader;
  readonly spans: SpanReader;
  readonly events: EventHub;
  readonly health: HealthBoard;
  /** Those that aren't over. */
  readonly calls: Set<Task>;
  readonly counts: { calls: number; hits: number; answers: number; retries: number; throttled: number; failures: number };
  /** From now on nothing goes out; what waits is refused, and what is under way may still come. */
  stop(refusal: Refusal): void;
}
