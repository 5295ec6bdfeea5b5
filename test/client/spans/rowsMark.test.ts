import fc from 'fast-check';
import { lastValueFrom, of, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { expandCursor, items } from '../../../operators/index.ts';
import { defineOperation, defineService } from '../../../src/contract/index.ts';
import { createClient } from '../../../src/createClient.ts';
import { RowScanner } from '../../../src/client/spans/RowScanner.ts';
import { rowsMark } from '../../../src/client/spans/RowSpan.ts';
import { lazily } from '../../lazily.ts';
import { param, startServer } from '../startServer.ts';

const isLong = process.env['TRAWLER_LONG'] === '1';

const value = fc.letrec((tie) => ({
  value: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(tie('value'), { maxLength: 3 }), tie('row')),
  row: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), tie('value'), { minKeys: 1, maxKeys: 6 }),
}));
const rows = fc.array(value.row as fc.Arbitrary<object>, { minLength: 1, maxLength: 12 });

function scanned(text: string): number | undefined {
  const body = Buffer.from(text);
  return new RowScanner(undefined, 'list').scan(body, body.toString('latin1'), 0)?.mark;
}

describe('rowsMark', () => {
  it('is the same for rows that stay bytes and for rows that are parsed, however the body is written', () => {
    let compared = 0;
    const property = fc.property(rows, fc.integer({ min: 0, max: 2 }), (list, indent) => {
      const text = JSON.stringify(list);
      const parsed = JSON.parse(JSON.stringify(list, null, indent)) as object[];
      const mark = scanned(text);
      if (mark === undefined) return; // the parser has to read it
      compared += 1;
      expect(rowsMark(JSON.stringify(parsed), parsed.length)).toBe(mark);
    });
    fc.assert(property, { numRuns: isLong ? 20_000 : 250 });
    expect(compared).toBeGreaterThan(200);
  });

  it('is another one if anything in any row is different', () => {
    const property = fc.property(rows, fc.nat(), (list, at) => {
      const changed = list.map((row, index) => (index === at % list.length ? { ...row, changed: at } : row));
      expect(rowsMark(JSON.stringify(changed), list.length)).not.toBe(rowsMark(JSON.stringify(list), list.length));
    });
    fc.assert(property, { numRuns: isLong ? 20_000 : 250 });
  });
});

const service = defineService({
  name: 'stations',
  operations: {
    readings: defineOperation({
      name: 'readings',
      get: '/readings',
      about: 'readings of a station',
      response: { rows: ['unknown'], 'next?': 'string|null' },
      rows: 'rows',
      query: { after: '${cursor}' },
      next: 'next',
    }),
  },
});

/** The rows that a walk over these bodies brings, or its error. */
async function walked(bodies: readonly string[], lazy: boolean): Promise<number | string> {
  await using server = await startServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(bodies[Number(param(request, 'after') ?? 0)]);
  });
  await using client = createClient({ service, baseUrl: server.url, apiKey: 'key', rate: 'unlimited' });
  const row$ = of({}).pipe(expandCursor(client.readings), items());
  const all$ = lazy ? lazily(row$) : row$;
  return await lastValueFrom(all$.pipe(toArray())).then(
    (all) => all.length,
    (error: Error) => error.name,
  );
}

describe('a page of a walk', () => {
  const station = Object.fromEntries(Array.from({ length: 30 }, (_, field) => [`field${field}`, 'the same in all rows of this station']));
  const readings = (from: number): object[] => Array.from({ length: 9 }, (_, row) => ({ ...station, value: from + row }));
  const body = (list: object[], next: string | null, indent?: number): string => JSON.stringify({ rows: list, next }, null, indent);

  it.each([
    ['as bytes', true, undefined],
    ['parsed', false, undefined],
    ['parsed, since the body has spaces', true, 2],
  ])('is another one than the page before if only the last fields of its rows differ: %s', async (_, lazy, indent) => {
    const bodies = [body(readings(0), '1', indent), body(readings(9), '2', indent), body(readings(18), null, indent)];
    expect(await walked(bodies, lazy)).toBe(27);
  });

  it.each([
    ['compact', 'with spaces', undefined, 2],
    ['with spaces', 'compact', 2, undefined],
  ])('is known as the page before when that was %s and this one is %s', async (_first, _second, first, second) => {
    const bodies = [body(readings(0), '1', first), body(readings(0), '2', second), body(readings(9), null, first)];
    expect(await walked(bodies, true)).toBe('PaginationError');
  });
});
