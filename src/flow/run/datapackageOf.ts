import type { DriftCount } from '../../contract/index.ts';
import { joinRemarks } from '../../sinks/OutputFile.ts';
import { dialectOf } from '../../sinks/formats/fileFormats.ts';
import { fileKindOf, type FileKind } from '../../sinks/index.ts';
import { columnsOfStage, type StageColumn, tableOfStage } from '../definition/columnsOfStage.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { RunStorage } from '../state/RunStorage.ts';
import { failuresFile, reportFile } from '../state/FlowFolder.ts';
import type { FlowFile, StageProgress, StageEstimate } from './FlowProgress.ts';
import { shownCounts } from '../core/stageCounters.ts';
import { outcomeOf } from './progressOf.ts';
import type { DataPackage } from '../../files/dataPackage.ts';
import { requestsAll } from '../update/mergeRows.ts';

const profile = (name: string): string => `https://datapackage.org/profiles/2.0/${name}.json`;

const fieldTypes: { readonly [type in NonNullable<StageColumn['type']>]: string } = {
  string: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  timestamp: 'datetime',
  date: 'date',
  json: 'any',
};

/**
 * The `datapackage.json` of a finished run (Data Package, version 2): each file with its format, bytes, digest and
 * columns. Under `trawler`, it describes the flow, how complete its stages are, and the runs before.
 */
export function datapackageOf(
  flow: Flow,
  store: RunStorage,
  stages: readonly StageProgress[],
  drift: readonly DriftCount[] = [],
  { runs = [], changes, timing, accounts }: Pick<DataPackage['trawler'], 'runs' | 'changes' | 'timing' | 'accounts'> = {},
): string {
  const endedAt = new Date(store.history.finishedAt ?? Date.now()).toISOString();
  const rows = new Map(stages.map((stage) => [stage.name, stage.rows]));
  const resources = [...(store.history.finished ?? []).flatMap((file) => resourcesOf(flow, file, rows))];
  const dataPackage = {
    $schema: profile('datapackage'),
    name: nameOf(flow.name) || 'flow',
    title: flow.name,
    created: endedAt,
    resources: resources.length === 0 ? [report] : resources,
    trawler: {
      flow: { name: flow.name, digest: flow.digest, service: flow.service.name, definition: { ...flow.definition, service: undefined } },
      outcome: outcomeOf(stages),
      startedAt: new Date(store.history.startedAt).toISOString(),
      endedAt,
      requests: store.history.requests,
      timing,
      accounts,
      changes,
      stages: stages.map((stage) => ({
        name: stage.name,
        call: stage.call,
        outcome: stage.outcome,
        queries: stage.done + stage.failed,
        ...shownCounts(stage),
        emptyQueries: stage.emptyQueries,
        doubts: stage.doubts.length === 0 ? undefined : stage.doubts,
      })),
      estimates: estimatesOf(store),
      drift: drift.length === 0 ? undefined : drift,
      runs: runs.length === 0 ? undefined : runs,
    },
  };
  return `${JSON.stringify(dataPackage, undefined, 2)}\n`;
}

/** The one resource of a run without files: a package must have one. */
const report = { name: reportFile, path: reportFile, format: 'html', mediatype: 'text/html', encoding: 'utf-8' };

/** Each file is a resource. In a database, each table is one. */
function resourcesOf(flow: Flow, file: FlowFile, rows: ReadonlyMap<string, number>): object[] {
  const stages = flow.stages.filter(({ outputs }) => outputs.includes(file.path));
  const kind = fileKindOf(file.path);
  const resource = {
    path: file.path.replaceAll('\\', '/'),
    ...(kind === undefined ? {} : { format: kind.format, mediatype: kind.mediaType }),
    ...(kind?.text === true ? { encoding: 'utf-8' } : {}),
    ...(kind?.compression === undefined ? {} : { compression: { gzip: 'gz', zstd: 'zst' }[kind.compression] }),
    bytes: file.bytes,
    hash: `sha256:${file.sha256}`,
    ...joinRemarks([file]),
  };
  if (kind === undefined || file.path === failuresFile || stages.length === 0)
    return [{ name: nameOf(file.path), ...resource, rows: file.rows }];
  return stages.map((stage) => ({
    name: nameOf(kind.tables ? `${file.path}-${stage.name}` : file.path),
    title: stage.name,
    ...resource,
    rows: kind.tables ? (rows.get(stage.name) ?? 0) : file.rows,
    ...tableOf(flow, stage, file.path, kind),
  }));
}

function tableOf(flow: Flow, stage: FlowStage, path: string, kind: FileKind): object {
  const columns = columnsOfStage(flow, stage, path);
  const written = stage.written.get(path);
  const csv = dialectOf(kind, written);
  const csvDialect = csv && {
    delimiter: csv.delimiter,
    lineTerminator: written?.eol ?? '\n',
    quoteChar: csv.quote,
    doubleQuote: true,
    header: true,
    nullSequence: csv.null,
  };
  const dialect = csvDialect ?? (kind.tables ? { table: tableOfStage(stage, path) } : undefined);
  const isJson = kind.text && csv === undefined;
  const schema = columns && { $schema: profile('tableschema'), fields: isJson ? nested(columns) : columns.map(fieldOf) };
  return {
    ...(schema === undefined ? {} : { type: 'table' }),
    ...(dialect === undefined ? {} : { dialect: { $schema: profile('tabledialect'), ...dialect } }),
    ...(schema === undefined ? {} : { schema }),
  };
}

function fieldOf({ path, header = path, type, about }: StageColumn): object {
  return { name: header, type: type === undefined ? 'any' : fieldTypes[type], ...(about === undefined ? {} : { description: about }) };
}

/** JSONL rows have top-level keys only. Nested fields are one object. */
function nested(columns: readonly StageColumn[]): readonly object[] {
  const fields = new Map<string, object>();
  for (const column of columns) {
    const [first, ...more] = column.keys;
    if (fields.has(first!)) continue;
    fields.set(first!, more.length === 0 ? fieldOf(column) : { name: first, type: 'object' });
  }
  return [...fields.values()];
}

/** A name in the form that the standard advises: lower-case letters, digits, dots, dashes. */
function nameOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
}

/** How many rows exist at least. undefined in a retry of failed queries, and for stages that an update requests only in part. */
export function estimatesOf(run: RunStorage): readonly StageEstimate[] | undefined {
  const estimates = run.flow.stages.flatMap((stage) => {
    const estimate = run.state.sightings.get(stage.name)?.estimate;
    return estimate === undefined || !requestsAll(run, stage) ? [] : [{ stage: stage.name, ...estimate }];
  });
  return estimates.length === 0 ? undefined : estimates;
}
