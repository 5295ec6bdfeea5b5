import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defineOperation, defineService } from '../../../src/contract/index.ts';
import { closedRefusal } from '../../../src/client/admission/Admission.ts';
import type { AttemptFailure, AttemptOwner } from '../../../src/client/attempt/AttemptFailure.ts';
import { Call } from '../../../src/client/attempt/Call.ts';
import { nextStates, type CallState } from '../../../src/client/attempt/callStates.ts';
import { systemClock } from '../../../src/client/Clock.ts';
import { coreOf } from '../../../src/client/coreOf.ts';
import { createRemoteClient } from '../../../src/client/createServiceClient.ts';
import { resolveOptions } from '../../../src/client/options/resolveOptions.ts';
import { CallStore } from '../../../src/client/store/CallStore.ts';
import { openStore } from '../../../src/store/index.ts';

type Is = CallState['is'];

const response = { rows: [{ id: 'string' }] } as const;
const books = defineOperation({ get: '/books', params: {}, response, rows: 'rows' });
const service = defineService({ name: 'library', operations: { books } });
const failure: AttemptFailure = { kind: 'network', error: 'NetworkError', what: 'the connection failed' };
const payload = {
  kind: 'payload',
  good: true,
  code: undefined,
  message: undefined,
  data: { rows: [] },
  requestId: '',
  timestamp: 0,
} as const;

/** A call whose attempts the test makes, in a state, and what has come of it. */
async function callIn(is: Is) {
  const folder = mkdtempSync(join(tmpdir(), 'call-'));
  const store = openStore(folder);
  const { settings } = resolveOptions(service, {
    baseUrl: 'http://localhost:1',
    apiKey: '',
    store,
    clock: { ...systemClock, random: () => 0.9 },
    retry: { baseMs: 50_000, capMs: 50_000 },
  });
  const log: string[] = [];
  let owner: AttemptOwner | undefined;
  const client = createRemoteClient(settings, (made) => {
    owner = made;
    return { startedAt: performance.now(), send: () => log.push('sent'), abort: () => log.push('aborted') > 0 };
  });
  const core = coreOf.get(client)!;
  const subscriber = { next: () => log.push('page'), error: () => log.push('error'), complete: () => log.push('complete') };
  const plan = core.planOf(service.operations.books);
  const batch = is === 'batched' ? ({} as NonNullable<typeof plan.batch>) : undefined;
  const request = {
    operation: service.operations.books,
    plan: { ...plan, batch },
    query: {},
    rows: undefined,
    label: undefined,
    node: undefined,
    subscriber,
  };
  if (is === 'queued') core.limitGroups.main.pause.take(50_000);
  core.batches.join = () => ({ inFlight: false, leave: () => log.push('left') });
  if (is === 'lookup') Object.assign(core.stored!, { look: () => ({ at: 0 }), read: () => undefined }); // it never comes to an end
  const call = new Call(core, request, is === 'lookup' ? new CallStore(core, core.stored!, request) : undefined);
  call.start();
  if (is === 'inFlight' || is === 'waiting' || is === 'over') await Promise.resolve();
  if (is === 'waiting') owner!.failed(failure);
  if (is === 'over') owner!.came(payload, 0);
  const state = (): Is => {
    if (call.slot < 0) return 'over';
    const { state: now, for: waitsFor } = call.explain(0, 'queued')!;
    if (now === 'in flight') return 'inFlight';
    return ({ 'the store': 'lookup', queued: 'queued', 'its next attempt': 'waiting' } as const)[waitsFor!] ?? 'batched';
  };
  const page = core.reader.read(plan, {}, undefined, payload, 0);
  const close = async (): Promise<void> => {
    await client.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { call, owner, page, state, log, stats: () => client.stats(), [Symbol.asyncDispose]: close };
}

type Driven = Awaited<ReturnType<typeof callIn>>;

const events = {
  admit: ({ call }: Driven) => call.admit(),
  receive: ({ call, page }: Driven) => call.receive(page),
  came: ({ owner }: Driven) => owner!.came(payload, 0),
  failed: ({ owner }: Driven) => owner!.failed(failure),
  'failed for good': ({ owner }: Driven) => owner!.failed({ ...failure, kind: 'final' }),
  unsubscribe: ({ call }: Driven) => call.unsubscribe(),
  refuse: ({ call }: Driven) => call.refuse(closedRefusal),
};

/** What each event leads to, and what is seen of it. What isn't here is refused: nothing happens. */
const expected: { readonly [is in Is]?: { readonly [event in keyof typeof events]?: readonly [Is, ...string[]] } } = {
  lookup: { unsubscribe: ['over'], refuse: ['over', 'error'] },
  batched: { receive: ['over', 'page', 'complete'], unsubscribe: ['over', 'left'], refuse: ['over', 'left', 'error'] },
  queued: { admit: ['inFlight', 'sent'], unsubscribe: ['over'], refuse: ['over', 'error'] },
  inFlight: {
    came: ['over', 'page', 'complete'],
    failed: ['waiting'],
    'failed for good': ['over', 'error'],
    unsubscribe: ['over', 'aborted'],
    refuse: ['over', 'aborted', 'error'],
  },
  waiting: { unsubscribe: ['over'], refuse: ['over', 'error'] },
  over: {},
};
/** An attempt reports once, and only while it is in flight. */
const ofAttempt: readonly string[] = ['came', 'failed', 'failed for good'];

describe('a call', () => {
  const pairs = Object.keys(expected).flatMap((is) =>
    (Object.keys(events) as (keyof typeof events)[])
      .filter((event) => is === 'inFlight' || !ofAttempt.includes(event))
      .map((event) => [is as Is, event, expected[is as Is]?.[event]] as const),
  );

  it.each(pairs)('%s, %s: %j', async (is, event, [next, ...seen] = [is]) => {
    await using driven = await callIn(is);
    expect(driven.state()).toBe(is);
    driven.log.length = 0;
    events[event](driven);
    expect([driven.state(), ...driven.log]).toEqual([next, ...seen]);
    expect(next === is || nextStates[is].includes(next)).toBe(true);
    const { inFlight, waiting } = driven.stats();
    expect(is === 'over' || next !== 'over' || inFlight + waiting === 0).toBe(true);
  });

  it('ends from any state, and is over for good', () => {
    for (const [is, next] of Object.entries(nextStates)) expect(next.includes('over')).toBe(is !== 'over');
    expect(nextStates.over).toEqual([]);
  });
});
