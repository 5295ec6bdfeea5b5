import type { ServerResponse } from 'node:http';
import { changesOf } from './data/changesOf.ts';
import type { StillReading } from './api.ts';
import type { OpenTable } from './data/OpenTable.ts';
import { textRows } from './data/TableSpec.ts';
import { readTableView, type TableView } from './data/TableView.ts';
import type { LiveRun } from './run/LiveRun.ts';
import type { ShownRuns } from './run/ShownRuns.ts';

interface RouteCall {
  readonly params: URLSearchParams;
  readonly response: ServerResponse;
  readonly runs: ShownRuns;
  readonly live: LiveRun | undefined;
}

type Route = (call: RouteCall) => Promise<void>;

const maxRows = 500;
const maxPoints = 5000;

/** All routes of the server. Only the last one changes something. */
export const routes: { readonly [route: string]: Route | undefined } = {
  'GET /api/runs': async (call) => json(call, await call.runs.list()),
  'GET /api/state': async (call) => json(call, await call.runs.state(runOf(call))),
  'GET /api/tables': async (call) => json(call, await call.runs.tables(runOf(call)).list()),
  'GET /api/rows': async (call) => {
    const { table, view } = await viewed(call);
    const part = await table.part(view, wholeParam(call, 'offset', Infinity), wholeParam(call, 'limit', maxRows));
    json(call, part, 'read' in part ? 202 : 200);
  },
  'GET /api/row': async (call) => {
    const { table } = await viewed(call);
    json(call, await table.row(wholeParam(call, 'n', Infinity)));
  },
  'GET /api/facets': async (call) => {
    const { table, view } = await viewed(call);
    await whenRead(call, table, async () => (await table.rows()).facets(view));
  },
  'GET /api/changes': async (call) => {
    const spec = await call.runs.tables(runOf(call)).spec(call.params.get('file') ?? '');
    if (spec.info.kind !== 'changes') throw new RangeError(`${spec.info.file} has no changes.`);
    json(call, await changesOf(textRows(spec), call.params.get('change') ?? '', new Set(call.params.getAll('without'))));
  },
  'GET /api/query': async (call) => {
    const { table } = await viewed(call);
    json(call, await table.query(call.params.get('sql') ?? ''));
  },
  'GET /api/points': async (call) => {
    const { table, view } = await viewed(call);
    const colour = call.params.has('colour') ? columnParam(call, table, 'colour') : undefined;
    const columns = { latitude: columnParam(call, table, 'latitude'), longitude: columnParam(call, table, 'longitude'), colour };
    await whenRead(call, table, async () => (await table.rows()).points(columns, view, maxPoints));
  },
  'GET /api/tiles': async (call) => json(call, await call.runs.tiles(runOf(call), call.params.get('stage') ?? '')),
  'GET /api/headlines': async (call) => json(call, await call.runs.headlines(runOf(call))),
  'POST /api/click': async (call) => {
    if (call.live === undefined) throw new RangeError('This page is read-only. Start the run with --show to get the buttons.');
    call.live.click(call.params.get('button') ?? '');
    json(call, 'done');
  },
};

function runOf({ params }: RouteCall): string {
  return params.get('run') ?? '';
}

async function viewed(call: RouteCall): Promise<{ readonly table: OpenTable; readonly view: TableView }> {
  const table = await call.runs.tables(runOf(call)).table(call.params.get('file') ?? '');
  const view = readTableView(call.params, table.spec.columns.map(({ name }) => name)); // prettier-ignore
  return { table, view };
}

function wholeParam({ params }: RouteCall, name: string, most: number): number {
  const value = Number(params.get(name) ?? 0);
  if (!Number.isSafeInteger(value) || value < 0 || value > most) throw new RangeError(`${name} can't be ${params.get(name)}.`);
  return value;
}

function columnParam({ params }: RouteCall, { spec }: OpenTable, name: string): number {
  const column = spec.columns.findIndex((one) => one.name === params.get(name));
  if (column < 0) throw new RangeError(`There is no column ${params.get(name)}.`);
  return column;
}

/** Responds if the whole file is read. Otherwise the response says how much of it is read. */
async function whenRead(call: RouteCall, table: OpenTable, respond: () => Promise<unknown>): Promise<void> {
  const read = await table.reading();
  if (read === undefined) json(call, await respond());
  else json(call, { read } satisfies StillReading, 202);
}

function json({ response }: RouteCall, value: unknown, status: 200 | 202 = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(value));
}
