import { describe, expect, it } from 'vitest';
import { RunRecorder } from '../../../src/flow/report/RunRecorder.ts';
import { HttpError } from '../../../src/errors/index.ts';
import type { StageProgress } from '../../../src/flow/index.ts';
import { stageProgress } from './stageProgress.ts';
import { idleStats } from '../../idleStats.ts';

const stage = (rows: number): StageProgress => stageProgress('places', { rows });
describe('RunRecorder', () => {
  it('counts the client’s requests, responses and retries, whatever they failed by', () => {
    const recorder = new RunRecorder(0);
    const base = { operation: 'webSearch', query: {}, at: 10, id: 1, attempt: 1 };
    recorder.event({ ...base, type: 'request' });
    recorder.event({ ...base, type: 'throttle', status: 503, pauseMs: 100, rate: 4 });
    recorder.event({ ...base, type: 'retry', delayMs: 100, error: new HttpError('busy', { status: 503 }) });
    recorder.event({ ...base, type: 'response', status: 200, ms: 12, bytes: 1, items: 1, requestId: 'r' });
    const { buckets, latency } = recorder.record();
    expect(buckets).toEqual([{ requests: 1, responses: 1, retries: 1, rows: 0, rate: undefined }]);
    expect(latency.count).toBe(1);
  });

  it('counts the rows of this run, not those of the runs before, and follows the rate', () => {
    const recorder = new RunRecorder(0);
    recorder.progress({ type: 'start', at: 0, name: 'coffee', outDir: 'out', resumed: true, began: 0, stages: [stage(100)] });
    recorder.progress({ type: 'progress', at: 0, stages: [stage(120)], client: idleStats });
    recorder.progress({ type: 'progress', at: 150, stages: [stage(150)], client: { ...idleStats, rate: 5 } });
    expect(recorder.record().buckets.map(({ rows, rate }) => [rows, rate])).toEqual([
      [20, undefined],
      [30, 5],
    ]);
  });

  it('leaves out the last requests, where a stop kept some from being sent: a chart would end in a spike', () => {
    const recorder = new RunRecorder(0);
    for (const at of [10, 20, 30, 40, 50, 110, 120, 130, 140])
      recorder.event({ operation: 'webSearch', query: {}, at, id: at, attempt: 1, type: 'request' });
    const chart = (sent?: number): readonly number[] => recorder.record(sent).buckets.map(({ requests }) => requests);
    expect([chart(), chart(9), chart(6), chart(4)]).toEqual([
      [5, 4],
      [5, 4],
      [5, 1],
      [4, 0],
    ]);
  });

  it('stays small, whatever it records', () => {
    const recorder = new RunRecorder(0);
    for (let index = 0; index < 5000; index += 1)
      recorder.progress({ type: 'progress', at: index * 60_000, stages: [], client: idleStats });
    expect(recorder.record().buckets.length).toBeLessThanOrEqual(160);
  });
});
