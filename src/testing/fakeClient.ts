import type { AnyClient, ClientOf } from '../client/Client.ts';
import { systemClock } from '../client/Clock.ts';
import type { ClientOptions } from '../client/ClientOptions.ts';
import type { AttemptOwner, AttemptRequest } from '../client/attempt/AttemptFailure.ts';
import { parseResponse } from '../client/response/parseResponse.ts';
import { asPage } from '../client/response/readBody.ts';
import { bodyFailure, notAPageFailure, statusFailure } from '../client/attempt/attemptFailures.ts';
import { Trouble } from '../client/attempt/Trouble.ts';
import { EventHub } from '../client/events/clientEvents.ts';
import { createRemoteClient } from '../client/createServiceClient.ts';
import { anyCredentials } from '../client/options/resolveKey.ts';
import { resolveOptions } from '../client/options/resolveOptions.ts';
import type { Service } from '../contract/Service.ts';
import { messageOf } from '../errors/TrawlerError.ts';

/** A request as a fake service sees it. */
export interface FakeRequest {
  readonly operation: string;
  readonly query: { readonly [param: string]: string | number | boolean | undefined };
  /** Counts the attempts of one query, from 1. */
  readonly attempt: number;
}

export interface FakeClientOptions extends Omit<ClientOptions, 'baseUrl' | 'apiKey' | 'dispatcher' | 'store'> {
  /** How long each response takes, on the client's clock. @default 0 */
  readonly latencyMs?: number | undefined;
}

export interface FakeClient<S extends Service> {
  readonly client: ClientOf<S>;
  /** Every request that was sent, retries included, in order. */
  readonly requests: readonly FakeRequest[];
}

class FakeFailure extends Error {
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, retryAfterMs: number | undefined) {
    super(`HTTP ${status}`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The error that `respond` throws for a response with another status than 200. */
export function failWith(status: number, { retryAfterMs }: { readonly retryAfterMs?: number | undefined } = {}): Error {
  return new FakeFailure(status, retryAfterMs);
}

/**
 * A real client without a network, for tests. `respond` returns the data of each response, or throws an error such as
 * `failWith(503)`. Demand, concurrency, retries, budget and events are as in any client. The rate is unlimited unless `rate` sets it.
 *
 * @example
 * const { client, requests } = fakeClient(books, ({ query }) => ({ results: [{ id: query.q }] }));
 */
export function fakeClient<S extends Service>(
  service: S,
  respond: (request: FakeRequest) => object | Promise<object>,
  options: FakeClientOptions = {},
): FakeClient<S> {
  const { latencyMs = 0, ...given } = options;
  const clock = options.clock ?? systemClock;
  const { settings } = resolveOptions(service, {
    rate: 'unlimited',
    ...given,
    baseUrl: 'https://fake.invalid',
    ...anyCredentials(service),
  });
  const requests: FakeRequest[] = [];
  const trouble = new Trouble(settings, new EventHub());

  const attempt = (owner: AttemptOwner, wanted: AttemptRequest) => {
    const { operation, query, number } = wanted;
    let over = false;
    let cancel: (() => void) | undefined;
    const failed = (error: unknown): void => {
      if (over) return;
      over = true;
      if (!(error instanceof FakeFailure)) {
        const what = messageOf(error);
        return owner.failed({ kind: 'final', error: 'TrawlerError', what });
      }
      const { status, retryAfterMs } = error;
      const { policy } = settings;
      const body = Buffer.alloc(0);
      const read = parseResponse(body, undefined, { judge: policy.judge?.(status, {}, clock.wall()) });
      if (read.kind === 'payload' && read.good) return owner.came(read, 0);
      const refused = { noneLeft: false, waitMs: retryAfterMs };
      const failure = statusFailure(read, { status, headers: {}, body, wall: 0, policy, worked: false, refused });
      owner.failed(read.kind === 'payload' ? failure : trouble.judged(failure));
    };
    const came = (data: object): void => {
      if (over) return;
      over = true;
      owner.arrived();
      const payload = {
        kind: 'payload',
        good: true,
        code: undefined,
        message: undefined,
        data,
        requestId: '',
        timestamp: clock.wall(),
      } as const;
      const read = asPage(payload, wanted);
      if (read.kind === 'noList') return owner.failed(notAPageFailure(read.why));
      if (read.good) trouble.keyWorks('fake');
      if (read.good) owner.came(read, 0);
      else owner.failed(bodyFailure(read, { headers: {}, wall: clock.wall(), policy: settings.policy }));
    };
    const response = (request: FakeRequest): void => {
      try {
        const data = respond(request);
        if (data instanceof Promise) data.then(came, failed);
        else came(data);
      } catch (error) {
        failed(error);
      }
    };
    return {
      startedAt: clock.now(),
      send() {
        owner.sending();
        if (over) return;
        const request = { operation: operation.name, query: { ...query }, attempt: number };
        requests.push(request);
        cancel = clock.after(latencyMs, () => response(request));
      },
      abort() {
        over = true;
        cancel?.();
        return true;
      },
    };
  };
  const client: AnyClient = createRemoteClient(settings, attempt);
  return { client: client as ClientOf<S>, requests };
}
