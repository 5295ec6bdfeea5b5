import { canonicalJson } from '../../../operators/kit/canonicalJson.ts';
import type { FlowStage } from '../definition/Flow.ts';
import type { QueryParams } from '../definition/flowFormat.ts';
import { hash } from 'node:crypto';
import { type FieldPath, valuesAt } from '../../contract/valuesAt.ts';

/**
 * A text that is the same for the same stage and query, whatever the order of parameters. Values that a ready-made fan-out
 * adds to its ids don't count.
 */
export function queryKey({ name: stage, fanOut }: Pick<FlowStage, 'name' | 'fanOut'>, params: QueryParams): string {
  const { by } = fanOut ?? {};
  const counts = (param: string): boolean => by === undefined || by.includes(param) || !Object.hasOwn(fanOut!.with, param);
  return canonicalJson([
    stage,
    ...Object.keys(params)
      .filter(counts)
      .sort()
      .flatMap((name) => [name, params[name]]),
  ]);
}

/** 64 bits of a text's SHA-256. The chance of a collision among a million texts is 1 in 30 million. */
export function digestOf(text: string): bigint {
  // As text whose characters are the bytes: a Buffer would take four times as long.
  const bytes = hash('sha256', text, 'binary');
  return (BigInt(wordAt(bytes, 4)) << 32n) | BigInt(wordAt(bytes, 0));
}

function wordAt(bytes: string, at: number): number {
  const low = bytes.charCodeAt(at) | (bytes.charCodeAt(at + 1) << 8);
  return (low | (bytes.charCodeAt(at + 2) << 16) | (bytes.charCodeAt(at + 3) << 24)) >>> 0;
}

/** The identity of a row: a digest of these fields. */
export function keyOf(row: object, fields: readonly FieldPath[]): bigint {
  return digestOf(JSON.stringify(fields.map((field) => valuesAt(row, field))));
}
