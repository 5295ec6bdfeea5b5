import * as fc from 'fast-check';
import { lastValueFrom, type Observable } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { fieldsOf, kindOfShape, leafOf, type Operation, type Shape } from '../../src/contract/index.ts';
import { rowsAt } from '../../operators/walk/rowsAt.ts';
import { quoteUnsafeNumbers } from '../../src/client/response/quoteLongIntegers.ts';
import { DriftError, PayloadError } from '../../src/errors/index.ts';
import { operations, type OperationName } from '../../src/search/operations.ts';
import { arbitraryOf } from '../contract/arbitraryOf.ts';
import { seeded } from '../files/seeded.ts';
import { envelope, startServer } from './startServer.ts';
import { outcome, testClient } from './testClient.ts';

const runs = process.env['TRAWLER_LONG'] === '1' ? 5000 : 5;

interface Fields {
  readonly [field: string]: unknown;
}

/**
 * The same value with fields left out, null or unknown where chance has it. Each difference from what is documented goes to
 * `broken`: a documented field that is missing although it must be there, or null although it may not be. Without that list
 * there is no such difference.
 */
function worn(shape: Shape, value: unknown, chance: () => number, broken: string[] | undefined, path = ''): unknown {
  const at = kindOfShape(shape);
  if (at.kind === 'list') return (value as unknown[]).map((one) => worn(at.of, one, chance, broken, `${path}[]`));
  if (at.kind === 'nullable' && value !== null) return worn(at.of, value, chance, broken, path);
  if (at.kind === 'oneOf') return { ...(value as Fields), ...unknownField(chance) };
  if (at.kind !== 'object') return value;
  const known = fieldsOf(at.object);
  const fields = known.flatMap(({ name, optional, shape: field }): [string, unknown][] => {
    if (!Object.hasOwn(value as Fields, name)) return [];
    const dice = chance();
    if (dice < 0.05 && (optional || broken !== undefined)) {
      if (!optional) broken?.push(`${path}.${name}`);
      return [];
    }
    if (dice > 0.95 && (mayBeNull(field) || broken !== undefined)) {
      if (!mayBeNull(field)) broken?.push(`${path}.${name}`);
      return [[name, null]];
    }
    return [[name, worn(field, (value as Fields)[name], chance, broken, `${path}.${name}`)]];
  });
  const names = new Set(known.map(({ name }) => name));
  const others = Object.entries(value as Fields).filter(([name]) => !names.has(name));
  return Object.fromEntries([...others, ...fields, ...Object.entries(unknownField(chance))]);
}

function unknownField(chance: () => number): Fields {
  return chance() < 0.3 ? { unknown_field: { of: ['any', 'kind'] } } : {};
}

function mayBeNull(shape: Shape): boolean {
  const at = kindOfShape(shape);
  return at.kind === 'hint' || at.kind === 'nullable' || (at.kind === 'leaf' && (leafOf(at.leaf).nullable || leafOf(at.leaf).type === 'unknown')); // prettier-ignore
}

/** A query with what the operation demands. */
function queryOf({ params }: Operation): object {
  const values: { readonly [param: string]: string } = { check_in_date: '2030-05-01', check_out_date: '2030-05-02' };
  return Object.fromEntries(Object.entries(params).flatMap(([name, { required }]) => (required === true ? [[name, values[name] ?? 'x']] : []))); // prettier-ignore
}

function isDocumented(shape: Shape, field: string): boolean {
  const at = kindOfShape(shape);
  return at.kind !== 'object' || fieldsOf(at.object).some(({ name }) => name === field);
}

describe('responses made from the specification, with absences, nulls and unknown fields', () => {
  it.each(Object.keys(operations) as OperationName[])(
    'of %s lose no row, and strict objects just to what is documented',
    async (name) => {
      const operation: Operation = operations[name];
      const { response, rows: list, listUndocumented = false } = operation.spec;
      let body = '';
      await using server = await startServer((_, reply) => reply.end(body));
      const retry = { maxAttempts: 1 };
      await using lenient = testClient(server.url, { maxDriftShare: 1, retry });
      await using strict = testClient(server.url, { validate: 'strict', retry });
      const ask = (client: typeof strict): Observable<{ readonly items: readonly unknown[] }> =>
        (client[name] as (query: object) => Observable<{ readonly items: readonly unknown[] }>)(queryOf(operation));
      await fc.assert(
        fc.asyncProperty(arbitraryOf(response), fc.integer(), fc.boolean(), async (whole, seed, gently) => {
          const broken: string[] = [];
          const data = worn(response, whole, seeded(seed), gently ? undefined : broken);
          body = envelope(data as object);
          const there = Object.keys(data as Fields).filter((field) => isDocumented(response, field) && (data as Fields)[field] !== null);
          // No page: the list isn't there, or nothing at all where the list may be missing, or where there is none.
          if (list === null || listUndocumented ? there.length === 0 : broken.includes(`.${list}`)) {
            const [one, other] = [await outcome(ask(lenient)), await outcome(ask(strict))];
            return one.error instanceof PayloadError && other.error instanceof PayloadError;
          }
          const rows = rowsAt((JSON.parse(quoteUnsafeNumbers(body)) as { data: unknown }).data, list).items;
          expect((await lastValueFrom(ask(lenient))).items).toEqual(rows);
          const { values, error } = await outcome(ask(strict));
          const came = error instanceof DriftError ? 'an objection' : (error ?? values[0]?.items);
          expect([came, broken]).toEqual([broken.length === 0 ? rows : 'an objection', broken]);
          return true;
        }),
        { numRuns: runs, endOnFailure: true },
      );
    },
    600_000,
  );
});
