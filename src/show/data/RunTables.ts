import { basename, join } from 'node:path';
import { LruCache } from '../../../operators/kit/LruCache.ts';
import type { FileSystem } from '../../files/FileSystem.ts';
import { columnsOfStage } from '../../flow/definition/columnsOfStage.ts';
import { pathsOf, type FanOutSource } from '../../contract/index.ts';
import type { Flow, FlowStage } from '../../flow/definition/Flow.ts';
import { listed } from '../../flow/definition/flowFormat.ts';
import { isAssembled, rowSource } from '../../flow/state/FlowFiles.ts';
import { changesFolder, emptyFile, failuresFile, rejectedFile } from '../../flow/state/FlowFolder.ts';
import { dialectOf } from '../../sinks/formats/fileFormats.ts';
import { fileKindOf, nodeFileSystem } from '../../sinks/index.ts';
import type { Relation, TableInfo } from '../api.ts';
import { NotFound } from '../NotFound.ts';
import type { FolderRun } from '../run/FolderRun.ts';
import { readDataPackage } from '../../files/dataPackage.ts';
import { leavesOf, type Binding } from '../../flow/definition/parseBinding.ts';
import { OpenTable } from './OpenTable.ts';
import { changedColumns, movedColumns } from './changesOf.ts';
import { headRows, type SourceColumn, type TableSpec } from './TableSpec.ts';

const headLimit = 50; // rows that are searched for undocumented columns
const maxOpen = 4; // tables that are kept in memory
const maxFiles = 1000; // files of one folder that are shown

/** The tables of a run's folder: its files, the queries that failed, and what updates have changed. */
export class RunTables {
  readonly #run: FolderRun;
  readonly #open = new LruCache<string, OpenTable>(maxOpen, (table) => table.close());

  constructor(run: FolderRun) {
    this.#run = run;
  }

  async list(): Promise<readonly TableInfo[]> {
    return (await this.#specs()).map(({ info }) => info);
  }

  /** The description of a table, which isn't opened. Throws for a file that isn't in the list, so nothing else is ever opened. */
  async spec(file: string): Promise<TableSpec> {
    const spec = (await this.#specs()).find(({ info }) => info.file === file);
    if (spec === undefined) throw new NotFound(`There is no file ${file} in this run.`);
    if (spec.info.fault !== undefined) throw new RangeError(spec.info.fault);
    return spec;
  }

  async table(file: string): Promise<OpenTable> {
    const spec = await this.spec(file);
    if (this.#open.peek(file)?.spec.path !== spec.path) this.#open.drop(file);
    return this.#open.use(file, () => new OpenTable(spec));
  }

  close(): void {
    this.#open.clear();
  }

  async #specs(): Promise<readonly TableSpec[]> {
    const flow = await this.#run.flow();
    const found = readDataPackage(this.#run.path, this.#run.files);
    const rows = new Map(found?.resources.map((one) => [one.path, one.rows]));
    const written = flow?.stages.flatMap((stage) => stage.outputs.map((file) => ({ file, stage: stage as FlowStage | undefined })));
    const files = written ?? found?.resources.map(({ path }) => ({ file: path, stage: undefined })) ?? [];
    const changes = filesIn(join(this.#run.path, changesFolder), this.#run.files).map((file) => ({
      file: `${changesFolder}/${file}`,
      stage: flow && changedStage(flow, file),
    }));
    const all = [
      ...files.map((one) => ({ ...one, kind: 'rows' as const })),
      ...[failuresFile, emptyFile, rejectedFile].map((file) => ({ file, stage: undefined, kind: 'failures' as const })),
      ...changes.map((one) => ({ ...one, kind: 'changes' as const })),
    ];
    const names = new Set<string>();
    const unique = all.filter(({ file }) => names.size < maxFiles && !names.has(file) && names.add(file));
    const specs = await Promise.all(unique.map((one) => this.#spec({ ...one, flow, rows: rows.get(one.file) })));
    const there = specs.filter((spec) => spec !== undefined);
    return flow === undefined ? there : there.map((spec) => ({ ...spec, info: { ...spec.info, related: relations(flow, spec, there) } }));
  }

  async #spec({ file, stage, kind, flow, rows }: SpecParts): Promise<TableSpec | undefined> {
    const found = this.#source(file, stage, flow);
    if (found === undefined) return undefined;
    const { path, growing, fault } = found;
    const fileKind = fileKindOf(path.replace(/\.part$/, ''))!;
    const csv = dialectOf(fileKind, stage?.written.get(file));
    const head = fault === undefined ? await headRows({ path, kind: fileKind, csv }, headLimit) : [];
    const columns = columnsFor({ file, flow, stage, kind, head, isTable: csv !== undefined });
    const info: TableInfo = {
      file,
      stage: stage?.name,
      call: stage?.operation.name,
      columns: columns.map(({ name, type, about }) => ({ name, type, about })),
      rows,
      bytes: this.#run.files.stat(path)?.size ?? 0,
      sqlName: nameInSql(stage?.name ?? basename(file).replace(/\..*$/, '')),
      kind,
      related: [],
      growing,
      fault,
    };
    return { info, columns, path, kind: fileKind, csv };
  }

  /**
   * The path to read for a file: the file itself, its `.part` file, or for an assembled file the rows that it is built from. Databases are
   * never opened, because a view may read other files, or never end.
   */
  #source(file: string, stage: FlowStage | undefined, flow: Flow | undefined): TableSource | undefined {
    const own = fileKindOf(file)?.tables === true ? [] : [file];
    const made = stage !== undefined && flow !== undefined && isAssembled(file) ? rowSource(flow, stage) : undefined;
    const names = [
      ...own.map((name) => ({ name, growing: false })),
      ...[...own, ...(made === undefined ? [] : [made])].flatMap((name) => [
        { name: `${name}.part`, growing: true },
        { name, growing: false },
      ]),
    ];
    const paths = names.map(({ name, growing }) => ({ path: join(this.#run.path, name), growing }));
    const there = paths.find(({ path }) => nodeFileSystem.stat(path, false) !== undefined);
    if (there === undefined || fileKindOf(there.path.replace(/\.part$/, '')) === undefined) return undefined;
    const isFile = this.#run.files.stat(there.path)?.kind === 'file';
    return { ...there, fault: isFile ? undefined : `${file} is no regular file in the run's folder, so it isn't shown.` };
  }
}

/** The name of a table in SQL. `rows` is taken by the table with the loaded rows. */
function nameInSql(name: string): string {
  return name.toLowerCase() === 'rows' ? 'all_rows' : name;
}

/** What is read of a table. */
interface TableSource {
  readonly path: string;
  readonly growing: boolean;
  readonly fault: string | undefined;
}

interface SpecParts {
  readonly file: string;
  readonly stage: FlowStage | undefined;
  readonly kind: TableInfo['kind'];
  readonly flow: Flow | undefined;
  readonly rows: number | undefined;
}

interface ColumnParts extends Pick<SpecParts, 'file' | 'flow' | 'stage' | 'kind'> {
  readonly head: readonly object[];
  /** Whether the file has columns of its own, as CSV has. */
  readonly isTable: boolean;
}

/** The columns of a table: the documented ones, then others that its first rows have. */
function columnsFor({ file, flow, stage, kind, head, isTable }: ColumnParts): readonly SourceColumn[] {
  const documented: readonly SourceColumn[] =
    flow === undefined || stage === undefined
      ? []
      : (columnsOfStage(flow, stage, file) ?? []).map(({ path, header = path, keys, type, about }) => {
          return { name: header, keys, type, about };
        });
  const seen = [...new Set(head.flatMap((row) => Object.keys(row)))];
  const plain = (name: string): SourceColumn => ({ name, keys: [name], type: undefined, about: undefined });
  if (kind === 'changes') {
    const own = stage?.series === true || seen.includes('field') ? movedColumns : changedColumns;
    return [...own.map(plain), ...documented.map((one) => ({ ...one, keys: ['row', ...one.keys] }))];
  }
  if (isTable && head.length > 0) return seen.map((name) => documented.find((one) => one.name === name) ?? plain(name));
  if (stage?.written.get(file)?.columns !== undefined) return documented; // the flow chooses them
  const known = new Set(documented.map(({ keys }) => keys[0]));
  const isNew = (name: string): boolean => !known.has(name) && !name.includes('\0'); // not allowed in SQL
  return [...documented, ...seen.filter(isNew).map(plain)];
}

/** The stage whose changes a file has. */
function changedStage(flow: Flow, file: string): FlowStage | undefined {
  const name = file.split('/').slice(1).join('/');
  return flow.stages.find((stage) => stage.outputs.includes(name) || `${stage.name}.jsonl` === basename(name));
}

/** The files below a folder, such as `2026-05-01/places.jsonl`. If there are too many, only the last ones. */
function filesIn(folder: string, files: FileSystem): readonly string[] {
  const found: string[] = [];
  let count = 0;
  const visit = (within: string): void => {
    for (const name of files.list(join(folder, within)).toSorted().toReversed()) {
      if (++count > maxFiles) return;
      const stat = files.stat(join(folder, within, name), false);
      if (stat?.kind === 'folder') visit(`${within}${name}/`);
      else if (stat !== undefined && stat.size > 0) found.push(`${within}${name}`);
    }
  };
  if (files.stat(folder, false)?.kind === 'folder') visit('');
  return found.toReversed();
}

/** The fields of parent rows that the queries of a stage are made from. */
function queriedFields({ with: params, fanOut }: FlowStage): readonly string[] {
  const own = params.flatMap(([, values]) => values.flatMap(leavesOf).flatMap(fieldsIn));
  const ready = [...sourcesOf(fanOut), ...(fanOut?.unlessZero ?? [])].flatMap((one) => pathsOf(one).row ?? []);
  return [...own, ...ready];
}

function fieldsIn(binding: Binding): readonly string[] {
  if (binding.kind === 'text') return binding.parts.flatMap((part) => (typeof part === 'string' ? [] : [part.path]));
  return binding.kind === 'field' ? [binding.path] : [];
}

function sourcesOf(fanOut: FlowStage['fanOut']): readonly FanOutSource[] {
  return Object.values(fanOut?.with ?? {}).flatMap((from) => listed<FanOutSource>(from));
}

/** Tables with parent rows or child rows of this one. They are found by the columns that a stage keeps of its parent's rows. */
function relations(flow: Flow, spec: TableSpec, all: readonly TableSpec[]): readonly Relation[] {
  const { info, columns } = spec;
  const own = flow.stages.find(({ name }) => name === info.stage);
  if (own === undefined || info.kind !== 'rows') return [];
  const has = (spec: Pick<TableSpec, 'columns'>, column: string): boolean => spec.columns.some(({ name }) => name === column);
  const tableOf = (stage: string): TableSpec | undefined => all.find((one) => one.info.stage === stage && one.info.kind === 'rows');
  const kept = (child: FlowStage): readonly (readonly [string, string])[] =>
    child.keep.flatMap(([column, value]) => (value.kind === 'field' ? [[column, value.path] as const] : []));
  const found = flow.stages.flatMap((other): readonly Relation[] => {
    const table = tableOf(other.name);
    if (table === undefined) return [];
    const asChild = own.parents.includes(other.name) ? kept(own) : [];
    const asParent = other.parents.includes(own.name) ? kept(other).map(([column, path]) => [path, column] as const) : [];
    const relation = (kind: Relation['kind'], child: FlowStage, pairs: Relation['by']): Relation => {
      const by = pairs.filter(([one, two]) => has({ columns }, one) && has(table, two));
      const made = queriedFields(child);
      const isExact = by.some((pair) => made.includes(pair[kind === 'child' ? 0 : 1]));
      return { kind, by, isExact, file: table.info.file, stage: other.name };
    };
    return [relation('parent', own, asChild), relation('child', other, asParent)];
  });
  return found.filter(({ by }) => by.length > 0);
}
