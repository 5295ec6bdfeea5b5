import { z } from 'zod';
import { once } from '../../../operators/kit/once.ts';
import { journalVersion, type JournalRecord, type JournalStep } from './JournalRecord.ts';

/** What a record and a step must have. */
const formats = once(() => {
  const count = z.number().min(0);
  const position = z.looseObject({ bytes: count, rows: count });
  const found = z.array(z.array(z.unknown()).min(2));
  const steps: { readonly [kind in JournalStep['kind']]: z.ZodType } = {
    seeds: z.looseObject({ kind: z.literal('seeds'), stage: count, position: count, crc: z.number(), found }),
    page: z.looseObject({ kind: z.literal('page'), query: count, received: count, written: count, found: found.optional() }),
    again: z.looseObject({ kind: z.literal('again'), query: count }),
    job: z.looseObject({ kind: z.literal('job'), query: count, address: z.string() }),
    late: z.looseObject({ kind: z.literal('late'), query: count, found: found.optional() }),
    failure: z.looseObject({ kind: z.literal('failure'), query: count, failure: z.looseObject({ name: z.string(), message: z.string() }) }),
  };
  const records: { readonly [type in JournalRecord['type']]: z.ZodType } = {
    flow: z.looseObject({ version: z.number(), name: z.string(), digest: z.string(), at: z.number(), outputs: z.array(z.string()) }),
    commit: z.looseObject({ at: z.number(), files: z.record(z.string(), position), steps: z.array(z.looseObject({})), requests: count }),
    finish: z.looseObject({ at: z.number(), files: z.array(position.extend({ path: z.string() })) }),
    reopen: z.looseObject({ at: z.number() }),
  };
  return { steps, records };
});

/**
 * Whether a line of a journal, read and with a right checksum, has what its kind of record has. What another version wrote may
 * differ: that is told by its version.
 */
export function isJournalRecord(value: unknown): value is JournalRecord {
  const record = value as { readonly type?: string; readonly version?: number; readonly steps?: readonly object[] };
  if (record.type === 'flow' && record.version !== journalVersion) return true;
  if (!fits(record.type, formats().records, value)) return false;
  return (record.steps ?? []).every((step) => fits((step as { readonly kind?: string }).kind, formats().steps, step));
}

function fits(kind: string | undefined, schemas: { readonly [kind: string]: z.ZodType }, value: unknown): boolean {
  return kind !== undefined && Object.hasOwn(schemas, kind) && schemas[kind]!.safeParse(value).success;
}
