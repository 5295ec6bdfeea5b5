import { crc32 } from 'node:zlib';
import { FlowError } from '../../errors/index.ts';
import type { FlowStage } from '../definition/Flow.ts';
import type { SeedsState } from '../state/FlowState.ts';
import { bindQueries } from '../query/bindQueries.ts';
import type { TileState } from '../split/StageSplit.ts';
import { valuesAt } from '../../contract/valuesAt.ts';
import { keptColumns, unlessOf } from '../query/keptColumns.ts';
import type { FoundQuery } from '../query/StageQuery.ts';
import { queryKey } from '../query/queryKey.ts';
import { readSeeds } from './readSeeds.ts';

export interface SeedBatch extends SeedsState {
  readonly found: readonly FoundQuery[];
}

/** Reads the queries of a root stage in order, a few at a time: from its seed file, or from its constants. */
export class SeedReader {
  readonly stage: FlowStage;
  readonly #from: SeedsState;
  readonly #queries: AsyncGenerator<FoundQuery, void, undefined>;
  #position = 0;
  #crc = 0;

  /** Resumes after `from`. The earlier seeds are read again and must be the same. */
  constructor(stage: FlowStage, from: SeedsState, stdin?: NodeJS.ReadableStream) {
    this.stage = stage;
    this.#from = { ...from };
    this.#queries = candidates(stage, stdin);
  }

  async next(limit: number): Promise<SeedBatch> {
    while (this.#position < this.#from.position) {
      if ((await this.#take()) === undefined || (this.#position === this.#from.position && this.#crc !== this.#from.crc)) {
        throw new FlowError(
          `stage ${this.stage.name}: the first ${this.#from.position} seeds aren't those that the run began with. Put the file back as it was, or start over with fresh; seeds may only be added at the end`,
        );
      }
    }
    const found: FoundQuery[] = [];
    while (found.length < limit) {
      const query = await this.#take();
      if (query === undefined) return { position: this.#position, crc: this.#crc, ended: true, found };
      found.push(query);
    }
    return { position: this.#position, crc: this.#crc, ended: false, found };
  }

  /** Closes the file after the current read. */
  async close(): Promise<void> {
    await this.#queries.return().catch(() => undefined);
  }

  async #take(): Promise<FoundQuery | undefined> {
    const { value, done } = await this.#queries.next();
    if (done === true || value === undefined) return undefined;
    this.#position += 1;
    this.#crc = crc32(queryKey(this.stage, value.params), this.#crc);
    return value;
  }
}

async function* candidates(stage: FlowStage, stdin: NodeJS.ReadableStream | undefined): AsyncGenerator<FoundQuery, void, undefined> {
  if (stage.seeds === undefined) {
    for (const params of bindQueries(stage, {})) yield { stage: stage.name, params, kept: keptColumns(stage, {}) };
    return;
  }
  for await (const row of readSeeds(stage.seeds, stdin)) {
    const kept = keptColumns(stage, row);
    const tile = areaIn(stage, row);
    const unless = unlessOf(stage, row);
    for (const params of bindQueries(stage, row))
      yield { stage: stage.name, params, kept, unless, ...(tile === undefined ? {} : { tile }) };
  }
}

/** The area to cover, as a row gives it. */
function areaIn({ split }: FlowStage, row: object): TileState | undefined {
  if (split?.kind !== 'area' || split.from?.kind !== 'field') return undefined;
  const [value] = valuesAt(row, split.from);
  const area = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  split.areaOf(area); // so that an area that is none stops the run here
  return { area };
}
