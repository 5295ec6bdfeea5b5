import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { FlowFolder } from '../state/FlowFolder.ts';
import { DigestSet } from '../state/DigestSet.ts';
import type { QueryParams } from '../query/QueryParams.ts';
import { keyOf } from '../query/keyOf.ts';
import type { StageQuery } from '../query/StageQuery.ts';
import { valuesAt } from '../query/valuesAt.ts';
import { markKey, readMarks, shortOf, type Mark } from '../state/Mark.ts';
import { readRows } from '../state/readRows.ts';
import { rowSource } from '../state/FlowFiles.ts';

/** The rows and watermarks of the previous run. An update uses it to find what is new. */
export class Freshness {
  readonly marks: ReadonlyMap<bigint, Mark>;
  /** Rows that were older than the watermark, and weren't there. */
  late = 0;
  readonly #known: ReadonlyMap<string, DigestSet>;
  readonly #firstSeen: ReadonlyMap<string, ReadonlyMap<bigint, string>>;

  private constructor(
    marks: ReadonlyMap<bigint, Mark>,
    known: ReadonlyMap<string, DigestSet>,
    firstSeen: ReadonlyMap<string, ReadonlyMap<bigint, string>>,
  ) {
    this.marks = marks;
    this.#known = known;
    this.#firstSeen = firstSeen;
  }

  static async load(flow: Flow, folder: FlowFolder): Promise<Freshness> {
    const known = new Map<string, DigestSet>();
    const firstSeen = new Map<string, Map<bigint, string>>();
    for (const stage of flow.stages.filter(({ since, seen }) => since !== undefined || seen)) {
      const source = rowSource(flow, stage);
      const keys = new DigestSet();
      const times = new Map<bigint, string>();
      known.set(stage.name, keys);
      firstSeen.set(stage.name, times);
      if (source === undefined) continue;
      for await (const { row } of readRows(folder, source)) {
        const key = keyOf(row, stage.key);
        keys.add(key);
        if (stage.seen && 'first_seen' in row) times.set(key, String(row.first_seen));
      }
    }
    return new Freshness(await readMarks(folder), known, firstSeen);
  }

  firstSeen(stage: FlowStage, key: bigint): string | undefined {
    return this.#firstSeen.get(stage.name)?.get(key);
  }

  /** Whether a query can be skipped, because its row says the same about it as before. */
  skips(stage: FlowStage, params: QueryParams, unless: string | undefined): boolean {
    if (unless === undefined || unless === '') return false;
    return this.marks.get(markKey(stage, params))?.unless === shortOf(unless);
  }

  /** Whether a page says that nothing behind it is new: its rows are known, none is newer than the watermark, and they reach back behind the lookback. */
  stopsAt(stage: FlowStage, query: StageQuery, rows: readonly unknown[]): boolean {
    const { since } = stage;
    const mark = this.marks.get(markKey(stage, query.params));
    if (since === undefined || mark === undefined || mark.time === '' || rows.length === 0) return false;
    const [newest, oldest] = [Date.parse(mark.time), Date.parse(mark.time) - since.lookbackMs];
    const known = this.#known.get(stage.name);
    let isKnown = true;
    let reach = Infinity;
    for (const row of rows) {
      if (typeof row !== 'object' || row === null) continue;
      const time = Date.parse(String(valuesAt(row, since.field)[0]));
      reach = Math.min(reach, time);
      if (known?.has(keyOf(row, stage.key)) === true && time <= newest) continue;
      isKnown = false;
      if (time <= newest) this.late += 1;
    }
    return isKnown && reach < oldest;
  }
}
