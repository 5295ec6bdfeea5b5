import { describe, expect, it } from 'vitest';
import { RunRecorder } from '../../../src/flow/report/RunRecorder.ts';

describe('RunRecorder', () => {
  it('counts the client’s requests, answers, retries and 429s', () => {
    const recorder = new RunRecorder(0);
    const base = { operation: 'webSearch', query: {}, at: 10, id: 1, attempt: 1 };
    recorder.event({ ...base, type: 'request' });
    recorder.event({ ...base, type: 'throttle', status: 429, pauseMs: 0, rate: 4 });
    recorder.event({ ...base, type: 'throttle', status: 503, pauseMs: 100, rate: 4 });
    recorder.event({ ...base, type: 'answer', status: 200, ms: 12, bytes: 1, items: 1, requestId: 'r' });
    const { buckets, latency } = recorder.record();
    expect(buckets).toEqual([{ requests: 1, answers: 1, throttled: 1, retries: 0, failures: 0, rows: 0, rate: 4 }]);
    expect(latency.count).toBe(1);
  });

  it('keeps the first rows of each file and no more', () => {
    const recorder = new RunRecorder(0);
    for (let row = 0; row < 1000; row += 1) recorder.sample('a.csv', row);
    expect(recorder.record().samples.get('a.csv')).toEqual([0, 1, 2, 3, 4]);
  });

  it('counts failures by class, the commonest first, with the first message and the stages', () => {
    const recorder = new RunRecorder(0);
    recorder.failed('places', { name: 'HttpError', message: 'first' }, 0);
    recorder.failed('photos', { name: 'TimeoutError', message: 'slow' }, 0);
    recorder.failed('photos', { name: 'TimeoutError', message: 'slower' }, 0);
    recorder.failed('posts', { name: 'TimeoutError', message: 'slowest' }, 0);
    expect(recorder.record().failures).toEqual([
      { name: 'TimeoutError', count: 3, example: 'slow', stages: ['photos', 'posts'] },
      { name: 'HttpError', count: 1, example: 'first', stages: ['places'] },
    ]);
  });

  it('stays small, whatever it is told', () => {
    const recorder = new RunRecorder(0);
    for (let index = 0; index < 5000; index += 1) {
      recorder.sample(`${index}.csv`, index);
      recorder.failed('s', { name: `Error${index}`, message: 'x'.repeat(2000) }, index * 60_000);
    }
    const { samples, failures, buckets } = recorder.record();
    expect([samples.size, failures.length, buckets.length <= 160]).toEqual([100, 40, true]);
    expect(failures[0]?.example.length).toBe(500);
  });
});
