import { positions } from '../../../operators/split/AreaSpec.ts';
import type { Spotted } from '../../../operators/split/Reach.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { FoundQuery } from '../query/StageQuery.ts';
import type { JournalFound } from './JournalRecord.ts';

/** Ids of rows in the journal's form, and back. */
export function textOfIds(ids: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(8 * ids.length);
  ids.forEach((id, index) => bytes.writeDoubleLE(id, index * 8));
  return bytes.toString('base64');
}

export function idsOf(base64: string): Float64Array {
  return new Float64Array(Uint8Array.from(Buffer.from(base64, 'base64')).buffer);
}

/** Digests in the journal's form, 8 bytes each, and back. */
export function textOfDigests(digests: readonly bigint[]): string {
  const bytes = Buffer.alloc(8 * digests.length);
  digests.forEach((digest, index) => bytes.writeBigUInt64LE(digest, index * 8));
  return bytes.toString('base64');
}

export function digestsOf(base64: string): readonly bigint[] {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: bytes.length / 8 }, (_, index) => bytes.readBigUInt64LE(index * 8));
}

/** How many digests a text holds. */
export function digestCount(base64: string = ''): number {
  return Buffer.byteLength(base64, 'base64') / 8;
}

/** Bytes of a spot: its id, and where it lies. */
const size = 16;

/** Where rows lie, in base64. */
export function textOfSpots(spots: readonly Spotted[]): string {
  const bytes = Buffer.alloc(spots.length * size);
  spots.forEach(({ id, x, y }, index) => {
    bytes.writeDoubleLE(id, index * size);
    bytes.writeUInt32LE(x * positions, index * size + 8);
    bytes.writeUInt32LE(y * positions, index * size + 12);
  });
  return bytes.toString('base64');
}

export function spotsIn(base64: string): Spotted[] {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: bytes.length / size }, (_, index) => ({
    id: bytes.readDoubleLE(index * size),
    x: bytes.readUInt32LE(index * size + 8) / positions,
    y: bytes.readUInt32LE(index * size + 12) / positions,
  }));
}

/** A query in the journal's form. */
export function journalFound(flow: Flow, { stage, params, kept, claimed, tile, unless }: FoundQuery): JournalFound {
  const index = flow.byName.get(stage)!.index;
  if (unless !== undefined) return [index, params, kept ?? null, claimed ?? null, tile ?? null, unless];
  if (tile !== undefined) return [index, params, kept ?? null, claimed ?? null, tile];
  if (claimed !== undefined) return [index, params, kept ?? null, claimed];
  return kept === undefined ? [index, params] : [index, params, kept];
}

/** A query of a stage, from the journal's form. */
export function foundQuery({ name }: FlowStage, [, params, kept, claimed, tile, unless]: JournalFound): FoundQuery {
  return { stage: name, params, kept: kept ?? undefined, claimed: claimed ?? undefined, tile: tile ?? undefined, unless };
}
