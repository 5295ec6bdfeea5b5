import { describe, expect, it } from 'vitest';
import { isJournalRecord } from '../../../src/flow/state/Journal.ts';
import { journalVersion } from '../../../src/flow/core/events.ts';

const files = { 'rows.jsonl': { bytes: 10, rows: 1 } };
const found = [[0, { q: 'tea' }]];
const flow = { type: 'flow', version: journalVersion, name: 'one', digest: 'a', at: 1, outputs: ['rows.jsonl'] };
const failure = { name: 'NetworkError', message: 'away' };
const events = [
  { type: 'SeedsRead', stage: 0, position: 1, crc: 5 },
  { type: 'AreasFound', areas: found },
  { type: 'QueriesFound', found },
  { type: 'QueriesUnchanged', unchanged: found },
  { type: 'PageTaken', query: 0, received: 1, written: 1 },
  { type: 'TileSearched', query: 0, at: 1, spots: '', rows: 0, ends: { type: 'QueryEnded', query: 0, as: 'complete', rows: 0 } },
  { type: 'WatermarkMoved', query: 0, newest: 1 },
  { type: 'WalkMoved', query: 0, move: {} },
  { type: 'WalkRestarted', query: 0 },
  { type: 'JobStarted', query: 0, address: '1' },
  { type: 'QueryPostponed', query: 0 },
  { type: 'QueryEnded', query: 0, as: 'complete', rows: 0 },
  { type: 'QueryFailed', query: 0, failure, got: 0 },
];
const commit = { type: 'commit', at: 1, files, events, requests: 0 };
const records = [flow, commit, { type: 'finish', at: 1, files: [{ path: 'rows.jsonl', bytes: 10, rows: 1 }] }, { type: 'reopen', at: 1 }];
const withEvent = (event: object): object => ({ ...commit, events: [event] });

/** A record once for each of its fields, which is something else in it. */
function eachWrong(record: object): readonly object[] {
  return Object.keys(record).flatMap((field) => [null, true].map((value) => ({ ...record, [field]: value })));
}

describe('isJournalRecord', () => {
  it('takes each record and each event, also with fields that it does not know', () => {
    for (const record of [...records, { ...commit, requests: -1 }, ...events.map(withEvent)]) {
      expect(isJournalRecord(record)).toBe(true);
      expect(isJournalRecord({ ...record, seq: 3, later: {} })).toBe(true);
    }
  });

  it.each(records)('refuses a record of type $type in which any field is wrong', (record) => {
    const wrong = eachWrong(record).filter((one) => !('version' in one) || one.version === journalVersion);
    expect(wrong.filter(isJournalRecord)).toEqual([]);
  });

  it.each(events)('refuses an event of type $type in which any field is wrong', (event) => {
    expect(eachWrong(event).map(withEvent).filter(isJournalRecord)).toEqual([]);
  });

  it.each([
    ['a negative count', { ...commit, files: { 'rows.jsonl': { bytes: 10, rows: -1 } } }],
    ['a file without rows', { ...commit, files: { 'rows.jsonl': { bytes: 10 } } }],
    ['a list of files in place of their positions', { ...commit, files: [] }],
    ['an output that is no path', { ...flow, outputs: [1] }],
    ['a query without parameters', withEvent({ type: 'QueriesFound', found: [[0]] })],
    ['a failure without a message', withEvent({ type: 'QueryFailed', query: 0, got: 0, failure: { name: 'NetworkError' } })],
    ['an unknown kind', withEvent({ type: 'toString', query: 0 })],
    ['an unknown type', { type: 'end', at: 1 }],
    ['a number', 5],
    ['nothing', null],
  ])('refuses %s', (_, value) => {
    expect(isJournalRecord(value)).toBe(false);
  });

  it('takes what another version wrote', () => {
    expect(isJournalRecord({ type: 'flow', version: journalVersion + 1 })).toBe(true);
  });
});
