import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FailureCounts, failedSince, shownAttempts } from '../../src/errors/FailedAttempts.ts';
import { runFlow, type FlowSummary } from '../../src/flow/index.ts';
import { headlineOf } from '../../src/flow/report/index.ts';
import { createClient } from '../../src/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';

describe('FailedAttempts', () => {
  it('are counted by reason, with the time that they cost, and no text of the service', () => {
    const counts = new FailureCounts();
    counts.add({ kind: 'timeout' }, 5000);
    const before = counts.list;
    for (const lostMs of [10, 20]) counts.add({ kind: 'busy', details: { status: 503 } }, lostMs);
    counts.add({ kind: 'network', details: { code: 'ECONNRESET' } }, 1);
    counts.add({ kind: 'busyCode', details: { status: 200, code: 503 } }, 2);
    counts.add({ kind: 'unknownCode', details: { status: 200, code: 'the key' } }, 3);
    expect(counts.list).toEqual([
      { because: 'HTTP 503', count: 2, lostMs: 30 },
      { because: 'a timeout', count: 1, lostMs: 5000 },
      { because: 'a broken connection', count: 1, lostMs: 1 },
      { because: 'code 503', count: 1, lostMs: 2 },
      { because: 'an error in the response', count: 1, lostMs: 3 },
    ]);
    expect(failedSince(counts.list, before).map(({ because }) => because)).not.toContain('a timeout');
    expect(shownAttempts(counts.list, String)).toEqual(['2 × 503', '1 × timeout', '3 × other failures']);
  });

  it('are told by the summary of a run, by reason', async () => {
    const outDir = mkdtempSync(join(tmpdir(), 'trawler-failed-'));
    onTestFinished(() => rmSync(outDir, { recursive: true }));
    await using sandbox = await startSandbox({
      faults: [1, 2, 3].map((nth) => ({ fault: 'status', status: nth === 2 ? 502 : 503, nth })),
    });
    await using client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, retry: { baseMs: 1, capMs: 2 } });
    const flow = { name: 'failing', stages: { news: { call: 'newsSearch', with: { query: ['a', 'b'] }, to: 'news.jsonl' } } } as const;
    const summary = (await lastValueFrom(runFlow(flow, { client, outDir }))) as FlowSummary;
    expect(summary.failedAttempts).toMatchObject([
      { because: 'HTTP 503', count: 2 },
      { because: 'HTTP 502', count: 1 },
    ]);
    expect(headlineOf(summary)).toMatch(/, 3 of them retries, 2 × 503, 1 × 502$/);
  });
});
