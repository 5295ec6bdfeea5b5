import type { Admission } from './admission/Admission.ts';
import type { Pause } from './admission/Pause.ts';
import type { Refusal } from './admission/Task.ts';
import type { ResponseReader } from './response/ResponseReader.ts';
import type { AttemptOwner, AttemptRequest, RunningAttempt } from './attempt/RunningAttempt.ts';
import type { RetryQuota } from './attempt/RetryQuota.ts';
import type { Outage } from './attempt/Outage.ts';
import type { Transport } from './attempt/Transport.ts';
import type { OpenCalls } from './OpenCalls.ts';
import type { EventHub } from './events/EventHub.ts';
import type { SpanReader } from './spans/SpanReader.ts';
import type { HealthBoard } from './health/HealthBoard.ts';
import type { Settings } from './options/resolveOptions.ts';
import type { OverloadSigns } from './rate/OverloadSigns.ts';
import type { ClientStore } from './store/ClientStore.ts';

export type MakeAttempt = (owner: AttemptOwner, request: AttemptRequest) => RunningAttempt;

/** State shared by all calls of one client. */
export interface ClientCore {
  readonly settings: Settings;
  readonly transport: Transport;
  /** Makes an attempt: through the transport, or through another process that has the key. */
  readonly attempt: MakeAttempt;
  /** Where calls look before they queue for a request; undefined without a store. */
  stored: ClientStore | undefined;
  readonly admission: Admission;
  readonly pause: Pause;
  /** Headers about limits that made no sense. Listeners were told of them. */
  readonly oddHeaders: Set<string>;
  readonly quota: RetryQuota;
  readonly signs: OverloadSigns;
  readonly outage: Outage;
  readonly reader: ResponseReader;
  readonly spans: SpanReader;
  readonly events: EventHub;
  readonly health: HealthBoard;
  /** Calls that aren't over. */
  readonly calls: OpenCalls;
  readonly counts: { calls: number; hits: number; responses: number; retries: number; throttled: number; failures: number };
  /** Refuses all calls that wait to send a request. */
  refuseWaiting(refusal: Refusal): void;
  /** Stops sending. Waiting requests are refused. Requests in flight may still complete. */
  stop(refusal: Refusal): void;
}

/** The core of each client, used to spread one client's work over machines. */
export const coreOf: WeakMap<object, ClientCore> = new WeakMap();
