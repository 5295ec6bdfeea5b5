import { describe, expect, it } from 'vitest';
import { portableFault } from '../../src/files/resolvePath.ts';

describe('portableFault', () => {
  it.each([
    'con',
    'CON.csv',
    'aux.jsonl.gz',
    'nul',
    'com1.csv',
    'LPT9',
    'prn.txt',
    'places.',
    'places ',
    'a:b',
    'a?',
    'a*b',
    'a|b',
    'a\u0007',
  ])('refuses %j, which Windows can not have', (name) => expect(portableFault(name)).toMatch(/Windows/));
  it.each(['console.csv', 'com.csv', 'com10.csv', 'nullable', 'places.csv', 'a b', '.trawler', '.', '..', 'Żółć.csv', 'auxiliary.csv'])(
    'takes %j',
    (name) => expect(portableFault(name)).toBeUndefined(),
  );
});
