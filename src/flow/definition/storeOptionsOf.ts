import { resolve } from 'node:path';
import { parseAge, type StoreOptions } from '../../store/index.ts';
import type { Flow } from './Flow.ts';
import type { FlowDefinition } from './flowFormat.ts';

/** How to open the store that a flow names, or another one written in the same way. */
export function storeOptionsOf(
  flow: Flow,
  named: NonNullable<FlowDefinition['store']>,
): Pick<StoreOptions, 'mode' | 'maxAgeMs'> & { readonly folder: string } {
  const { folder, mode, maxAge } = typeof named === 'string' ? { folder: named } : named;
  return {
    folder: resolve(flow.folder, folder),
    mode,
    maxAgeMs: typeof maxAge === 'string' ? parseAge(maxAge) : maxAge && mapAges(maxAge),
  };
}

function mapAges(ages: { readonly [operation: string]: string }): { readonly [operation: string]: number } {
  return Object.fromEntries(Object.entries(ages).map(([operation, age]) => [operation, parseAge(age) ?? Infinity]));
}
