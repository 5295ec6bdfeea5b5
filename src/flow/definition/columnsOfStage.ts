import { ownValue } from '../../../operators/kit/ownValue.ts';
import { columnsOf, type Column, variantFor, rowJsonSchema, type JsonSchema } from '../../contract/index.ts';
import { isPartOf, parsePath } from '../../../operators/kit/path.ts';
import type { CsvWriting } from '../../sinks/formats/fileFormats.ts';
import type { KeptBinding } from './parseBinding.ts';
import type { Flow, FlowStage } from './Flow.ts';

/** A column of a stage's rows, with its `type` if known. */
export type StageColumn = Omit<Column, 'type'> & Partial<Pick<Column, 'type'>> & { readonly header?: string | undefined };

const sourceColumns: readonly StageColumn[] = [
  { path: '_source.operation', keys: ['_source', 'operation'], type: 'string', about: 'the operation that the row comes from' },
  { path: '_source.query', keys: ['_source', 'query'], type: 'json', about: 'the query of its page' },
  { path: '_source.request_id', keys: ['_source', 'request_id'], type: 'string', about: "the service's id of the request" },
  { path: '_source.time', keys: ['_source', 'time'], type: 'timestamp', about: 'when the service responded' },
];

const serviceColumns: readonly StageColumn[] = [
  { path: '_service', keys: ['_service'], type: 'string', about: 'the service that gave the row' },
];

const seenColumns: readonly StageColumn[] = [
  { path: 'first_seen', keys: ['first_seen'], type: 'timestamp', about: 'the run that saw the row for the first time' },
  { path: 'last_seen', keys: ['last_seen'], type: 'timestamp', about: 'the last run that saw the row' },
];

const seriesColumns: readonly StageColumn[] = [
  { path: 'seen_at', keys: ['seen_at'], type: 'timestamp', about: 'when the run began that saw the row' },
];

/** The columns that the row gets that a query looked for. They replace fields of the same name. */
export const matchColumns: readonly StageColumn[] = [
  { path: 'rank', keys: ['rank'], type: 'integer', about: 'which one the row is among all rows of its query, from 1' },
  { path: 'page', keys: ['page'], type: 'integer', about: 'the page on which the row is, from 1' },
];

/**
 * The columns of a stage's rows, kept ones first, or those that the flow chooses for a file. undefined if they aren't known before the
 * first row.
 */
export function columnsOfStage(flow: Flow, stage: FlowStage, file?: string): readonly StageColumn[] | undefined {
  const chosen = file === undefined ? undefined : stage.written.get(file)?.columns;
  if (chosen === undefined) return allColumns(flow, stage);
  const known = allColumns(flow, stage) ?? [];
  return chosen.map((one) => {
    const { path, header } = typeof one === 'string' ? { path: one, header: undefined } : one;
    return { ...(known.find((column) => column.path === path) ?? parsePath(path)!), header };
  });
}

function allColumns(flow: Flow, stage: FlowStage): readonly StageColumn[] | undefined {
  const match = stage.until.length > 0 ? matchColumns : [];
  const seen = stage.series ? seriesColumns : stage.seen ? seenColumns : [];
  const served = stage.others.length > 0 ? serviceColumns : [];
  const added = [...match, ...seen, ...served, ...(stage.definition.provenance === true ? sourceColumns : [])];
  const all = [stage, ...stage.others].flatMap((one) => columnsOf(one.operation, listOfStage(one)));
  const isOther = (one: Pick<StageColumn, 'path'>): boolean => !added.some(({ path }) => path === one.path) && !isPartOf(one, stage.drop);
  const documented = unique(all.filter(isOther));
  if (stage.pick.length > 0) {
    const picked = stage.pick.filter(isOther).flatMap(({ path, keys }): readonly StageColumn[] => {
      const inside = documented.filter((column) => column.path === path || column.path.startsWith(`${path}.`));
      if (inside.length > 0) return inside;
      const kept = stage.keep.find(([column]) => column === path);
      return [kept === undefined ? { path, keys } : keptColumn(flow, stage, ...kept)];
    });
    return [...unique(picked), ...added];
  }
  if (documented.length === 0) return undefined;
  const kept = stage.keep.map(([column, binding]) => keptColumn(flow, stage, column, binding));
  return [...kept.filter(isOther), ...documented.filter(({ path }) => !stage.keep.some(([column]) => column === path)), ...added];
}

function unique(columns: readonly StageColumn[]): readonly StageColumn[] {
  return columns.filter((column, index) => columns.findIndex(({ path }) => path === column.path) === index);
}

/** A column from the stage's input row, or from its query. */
function keptColumn(flow: Flow, stage: FlowStage, path: string, binding: KeptBinding): StageColumn {
  const column = { path, keys: [path] };
  if (binding.kind === 'query') return binding.type === undefined ? column : { ...column, type: binding.type };
  if (binding.kind === 'text') return { ...column, type: 'string' };
  if (binding.kind === 'constant') {
    const kind = typeof binding.value;
    return { ...column, type: kind === 'boolean' ? 'boolean' : kind === 'number' ? 'number' : 'string' };
  }
  const types = stage.parents.map((name) => {
    const parent = flow.byName.get(name)!;
    return columnsOf(parent.operation, listOfStage(parent)).find((one) => one.path === binding.path)?.type;
  });
  const [type] = types;
  return type === undefined || types.some((other) => other !== type) ? column : { ...column, type };
}

/** The name of a stage's table in a database. */
export function tableOfStage({ name, written }: FlowStage, file: string): string {
  return written.get(file)?.table ?? name;
}

/** The list in the response that a stage reads its rows from. null: the response itself is the only row. */
export function listOfStage(stage: Pick<FlowStage, 'operation' | 'rows' | 'with' | 'fanOut'>): string | null {
  if (stage.rows !== undefined) return stage.rows;
  const { rows: list, variants } = stage.operation.spec;
  if (variants === undefined) return list;
  const value = stage.with.find(([param]) => param === variants.param)?.[1][0];
  const filled = ownValue(stage.fanOut?.with, variants.param);
  // A variant for any value fits any value of a row.
  const text = value?.kind === 'constant' ? value.value : value === undefined ? filled : '*';
  const variant = variantFor(stage.operation.spec, text);
  return variant === undefined ? list : variant.rows;
}

/** The columns of a stage's rows, and their files. */
export interface StageSchema {
  readonly table: string;
  readonly paths: readonly string[];
  /** undefined if they aren't documented. */
  readonly columns: StageFile['columns'];
  /** Each with its own columns, where the flow chooses them, and how it is written. */
  readonly files: readonly StageFile[];
  readonly jsonSchema: JsonSchema;
}

/** A file of a stage, with its columns and how it is written. */
interface StageFile {
  readonly path: string;
  /** Its name in a database. */
  readonly table: string;
  /** undefined if they aren't documented. */
  readonly columns: readonly { readonly header: string; readonly keys: readonly string[]; readonly type: Column['type'] }[] | undefined;
  readonly csv: CsvWriting | undefined;
}

/** The tables of a flow, one per stage. */
export function stageSchemas(flow: Flow): readonly StageSchema[] {
  return flow.stages.map((stage) => {
    const columns = typed(columnsOfStage(flow, stage));
    const documented = rowJsonSchema(stage.operation, listOfStage(stage));
    const properties = 'properties' in documented ? (documented['properties'] as object) : {};
    const kept = [...stage.keep.map(([column]) => column), ...(stage.until.length > 0 ? matchColumns.map(({ path }) => path) : [])];
    const own = columns?.filter(({ keys }) => kept.includes(keys[0]!) || keys[0] === '_source').map(({ keys }) => [keys[0]!, {}]) ?? [];
    const picked = stage.pick.map(({ keys }) => keys[0]!);
    const isChosen = (name: string): boolean => (picked.length === 0 || picked.includes(name)) && !isPartOf({ path: name }, stage.drop);
    const chosen = Object.entries(properties).filter(([name]) => isChosen(name));
    return {
      table: stage.name,
      paths: stage.outputs,
      columns,
      files: stage.outputs.map((path) => ({
        path,
        table: tableOfStage(stage, path),
        columns: typed(columnsOfStage(flow, stage, path)),
        csv: stage.written.get(path),
      })),
      jsonSchema: { type: 'object', properties: { ...Object.fromEntries(own), ...Object.fromEntries(chosen) } },
    };
  });
}

/** An undocumented column is text. */
function typed(columns: readonly StageColumn[] | undefined): StageFile['columns'] {
  return columns?.map(({ path, header = path, keys, type = 'string' }) => ({ header, keys, type }));
}
