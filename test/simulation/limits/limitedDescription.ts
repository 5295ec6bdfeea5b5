import { defineOperation, defineService, type FailureSpec, type LimitSpec, type Service } from '../../../src/contract/index.ts';
import type { LimitWorld } from './LimitWorld.ts';

const rules: { readonly [refuses in LimitWorld['refuses']]?: FailureSpec } = {
  '403 by a rule': { status: 403, at: 'message', is: 'too fast', means: 'throttled' },
  '200 with an error': { status: 200, at: 'error.code', is: 'ratelimited', means: 'throttled' },
  'quota by a rule': { status: 403, means: 'quota', until: 'header:x-quota-until' },
};

/** The description of a world's service. */
export function limitedDescription(world: LimitWorld): Service {
  const rule = rules[world.refuses];
  const limit = limitOf(world);
  return defineService({
    name: 'limited',
    ...(rule === undefined ? {} : { failures: [rule] }),
    ...(limit !== undefined && { limits: { default: limit } }),
    operations: {
      list: defineOperation({
        name: 'list',
        get: '/list',
        params: { key: { type: 'string', required: true } },
        response: { 'rows?': [{ id: 'string' }] },
        rows: 'rows',
      }),
    },
  });
}

function limitOf({ limit, tells, known }: LimitWorld): LimitSpec | undefined {
  if (tells === 'own') return { remaining: 'X-Left-Now', reset: 'X-Again-At' };
  return known === true && 'requests' in limit ? { requests: limit.requests, perMs: limit.perMs } : undefined;
}
