import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BrokerWatch } from '../../src/bullmq/BrokerWatch.ts';
import { FlowError, NetworkError } from '../../src/errors/index.ts';
import { RedisBroker } from '../../src/bullmq/RedisBroker.ts';

const broker = new RedisBroker('redis://here:1');

describe('BrokerWatch', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('says when Redis is away, when for too long, and when it is back', () => {
    const said: string[] = [];
    const watch = new BrokerWatch({ broker, waitMs: 5000, tell: (message) => said.push(message) });
    watch.responded();
    const looks = [0, 1000, 1600, 5000, 5001].map((ms) => {
      vi.advanceTimersByTime(ms - watch.awayMs);
      return watch.failed(new Error('no'), 'ECONNREFUSED');
    });
    const tooLong = 'Redis at here:1 has not responded for 5 s; check that it runs, then run this again to resume';
    expect(looks).toEqual([undefined, undefined, undefined, undefined, new NetworkError(tooLong)]);
    watch.responded();
    expect(watch.awayMs).toBe(0);
    expect(said).toEqual(['Redis at here:1 does not respond (ECONNREFUSED); waiting for it, 5 s at most', 'Redis at here:1 is back']);
  });

  it('does not take the time that its own process was blocked for an absence', () => {
    const said: string[] = [];
    const watch = new BrokerWatch({ broker, waitMs: 5000, tell: (message) => said.push(message) });
    watch.responded();
    vi.advanceTimersByTime(60_000);
    expect(watch.failed(new Error('no'), 'no response')).toBeUndefined();
    watch.responded();
    expect(said).toEqual([]);
  });

  it('does not wait where the package of the Redis client is missing', () => {
    const watch = new BrokerWatch({ broker, waitMs: 5000, tell: () => undefined });
    const error = watch.failed(new Error("Cannot find package 'ioredis'"), 'no connection');
    expect(error).toBeInstanceOf(FlowError);
    expect(error!.message).toContain('npm install ioredis');
  });
});
