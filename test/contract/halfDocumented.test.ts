import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResponseWatch, checkResponse, rowsAt, type Operation } from '../../src/contract/index.ts';
import { operations } from '../../src/search/index.ts';
import { arbitraryOf } from './arbitraryOf.ts';

const runs = process.env['TRAWLER_LONG'] === undefined ? 100 : 5000;

/** The same value with fields left out, null, or unknown, wherever chance has it. */
function worn(value: unknown, chance: () => number): unknown {
  if (Array.isArray(value)) return value.map((one) => worn(one, chance));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const dice = chance();
    if (dice < 0.1) return [];
    return [[key, dice < 0.15 ? null : worn(inner, chance)]];
  });
  return Object.fromEntries(chance() < 0.3 ? [...fields, ['unknown_field', { of: ['any', 'kind'] }]] : fields);
}

describe('responses made from the specification, with absences, nulls and unknown fields', () => {
  it.each(Object.values(operations).map((operation): [string, Operation] => [operation.name, operation]))(
    'of %s are read without a throw and without losing a row',
    (_, operation) => {
      const { response, list } = operation.spec;
      const watch = new ResponseWatch();
      fc.assert(
        fc.property(arbitraryOf(response), fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (whole, dice) => {
          const data = worn(whole, () => dice.next().value as number);
          const { badRows } = watch.check(operation, data, {});
          const rows = rowsAt(data, list).items;
          // What is skipped is no object at all; strict objects to nothing but documented fields.
          for (const row of badRows) expect(typeof rows[row] === 'object' && rows[row] !== null && !Array.isArray(rows[row])).toBe(false);
          for (const { path } of checkResponse(operation, data).issues) expect(path).not.toContain('unknown_field');
        }),
        { numRuns: runs },
      );
    },
  );
});
