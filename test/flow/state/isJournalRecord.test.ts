import { describe, expect, it } from 'vitest';
import { isJournalRecord } from '../../../src/flow/state/isJournalRecord.ts';
import { journalVersion } from '../../../src/flow/state/JournalRecord.ts';

const files = { 'rows.jsonl': { bytes: 10, rows: 1 } };
const found = [[0, { q: 'tea' }]];
const flow = { type: 'flow', version: journalVersion, name: 'one', digest: 'a', at: 1, outputs: ['rows.jsonl'] };
const failure = { name: 'NetworkError', message: 'away' };
const steps = [
  { kind: 'seeds', stage: 0, position: 1, crc: 5, found },
  { kind: 'page', query: 0, received: 1, written: 1 },
  { kind: 'page', query: 0, received: 1, written: 1, found },
  { kind: 'again', query: 0 },
  { kind: 'job', query: 0, address: '1' },
  { kind: 'late', query: 0 },
  { kind: 'failure', query: 0, failure },
];
const commit = { type: 'commit', at: 1, files, steps, requests: 0 };
const records = [flow, commit, { type: 'finish', at: 1, files: [{ path: 'rows.jsonl', bytes: 10, rows: 1 }] }, { type: 'reopen', at: 1 }];
const withStep = (step: object): object => ({ ...commit, steps: [step] });

/** A record once for each of its fields, which is something else in it. */
function eachWrong(record: object): readonly object[] {
  return Object.keys(record).flatMap((field) => [null, true].map((value) => ({ ...record, [field]: value })));
}

describe('isJournalRecord', () => {
  it('takes each record and each step, also with fields that it does not know', () => {
    for (const record of [...records, ...steps.map(withStep)]) {
      expect(isJournalRecord(record)).toBe(true);
      expect(isJournalRecord({ ...record, seq: 3, later: {} })).toBe(true);
    }
  });

  it.each(records)('refuses a record of type $type in which any field is wrong', (record) => {
    const wrong = eachWrong(record).filter((one) => !('version' in one) || one.version === journalVersion);
    expect(wrong.filter(isJournalRecord)).toEqual([]);
  });

  it.each(steps)('refuses a step of kind $kind in which any field is wrong', (step) => {
    expect(eachWrong(step).map(withStep).filter(isJournalRecord)).toEqual([]);
  });

  it.each([
    ['a negative count', { ...commit, requests: -1 }],
    ['a file without rows', { ...commit, files: { 'rows.jsonl': { bytes: 10 } } }],
    ['a list of files in place of their positions', { ...commit, files: [] }],
    ['an output that is no path', { ...flow, outputs: [1] }],
    ['a query without parameters', withStep({ kind: 'late', query: 0, found: [[0]] })],
    ['a failure without a message', withStep({ kind: 'failure', query: 0, failure: { name: 'NetworkError' } })],
    ['an unknown kind', withStep({ kind: 'toString', query: 0 })],
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
