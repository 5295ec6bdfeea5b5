import fc from 'fast-check';
import { lastValueFrom, materialize, of, toArray, type Observable } from 'rxjs';
import type { Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import { expandCursor, items, offsetPages, type PageFactory, type PageLike } from '../operators/index.ts';
import type { AnyClient } from '../src/client/Client.ts';
import { createClient } from '../src/createClient.ts';
import { defineOperation, defineService, pagingKindOf, type Service } from '../src/contract/index.ts';
import { runFlow, type FlowDefinition, type FlowSummary, type RunFlowOptions } from '../src/flow/index.ts';
import { MemoryFileSystem } from './disk/MemoryFileSystem.ts';
import { remoteClient } from './bullmq/remoteClient.ts';

const count = process.env['TRAWLER_LONG'] === '1' ? 2000 : 50;

const kinds = {
  none: {},
  token: { query: { token: '${cursor}' }, next: 'next' },
  more: { query: { token: '${cursor}' }, next: 'next', more: 'more' },
  last: { query: { token: '${last.id}' } },
  merge: { merge: 'onward' },
  page: { query: { page: '${page}' } },
  received: { query: { page: '${offset}' } },
  counted: { query: { page: '${page:1}' }, pages: 'pages' },
} as const;

type Data = { readonly [field: string]: unknown };

/** What comes instead of a page. */
const listless = {
  maintenance: () => ({ status: 'maintenance' }),
  missing: (data: Data) => Object.fromEntries(Object.entries(data).filter(([field]) => field !== 'rows')),
  null: (data: Data) => ({ ...data, rows: null }),
  renamed: ({ rows, ...rest }: Data) => ({ ...rest, found: rows }),
  object: ({ rows, ...rest }: Data) => ({ ...rest, rows: { found: rows } }),
  text: (data: Data) => ({ ...data, rows: 'none' }),
} as const;

const ways = ['pipe', 'flow', 'update', 'store', 'queue'] as const;

interface World {
  readonly way: (typeof ways)[number];
  readonly kind: keyof typeof kinds;
  readonly pages: number | 'all';
  readonly total: number;
  readonly size: number;
  readonly isClaimed: boolean;
  readonly as: keyof typeof listless;
  /** Which of the requests of a clean walk has it. */
  readonly at: number;
  /** It comes once, or until the service is well. */
  readonly isOnce: boolean;
}

const anyWorld: fc.Arbitrary<World> = fc.record({
  way: fc.constantFrom(...ways),
  kind: fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[])),
  pages: fc.constantFrom(1, 2, 'all' as const),
  total: fc.nat(9),
  size: fc.integer({ min: 1, max: 4 }),
  isClaimed: fc.boolean(),
  as: fc.constantFrom(...(Object.keys(listless) as (keyof typeof listless)[])),
  at: fc.nat(9),
  isOnce: fc.boolean(),
});

/** A service in memory, behind undici's own interface. */
class Listless {
  readonly service: Service;
  readonly sent: string[] = [];
  /** The address whose pages have no list, and how often. */
  lost: { readonly path: string; times: number } | undefined;
  readonly #world: World;

  constructor(world: World) {
    const { kind, isClaimed } = world;
    this.#world = world;
    const rows = defineOperation({
      get: '/rows',
      params: { token: { type: 'string' } },
      response: {
        rows: [{ id: 'string' }],
        'next?': 'string|null',
        'more?': 'boolean',
        'onward?': { token: 'string' },
        'pages?': 'integer',
        'total?': 'integer',
      },
      rows: 'rows',
      id: 'id',
      ...kinds[kind],
      ...(isClaimed ? { total: 'total' } : {}),
    });
    this.service = defineService({ name: 'listless', operations: { rows } });
  }

  get client(): AnyClient {
    const { service } = this;
    const dispatch = ({ path }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean => {
      this.sent.push(path);
      const controller = { abort: () => undefined } as unknown as Dispatcher.DispatchController;
      handler.onRequestStart?.(controller, {});
      setImmediate(() => {
        handler.onResponseStart?.(controller, 200, { 'content-type': 'application/json' }, '');
        handler.onResponseData?.(controller, Buffer.from(JSON.stringify(this.#respond(path))));
        handler.onResponseEnd?.(controller, {});
      });
      return true;
    };
    const dispatcher = { dispatch } as unknown as Dispatcher;
    const options = { baseUrl: 'https://listless.invalid', rate: 'unlimited', retry: { baseMs: 0 }, dispatcher } as const;
    return createClient({ service, ...options }) as unknown as AnyClient;
  }

  #respond(path: string): object {
    const { kind, total, size, isClaimed } = this.#world;
    const params = new URL(path, 'https://listless.invalid').searchParams;
    const [token, page] = [params.get('token'), Number(params.get('page') ?? (kind === 'counted' ? 1 : 0))];
    const from =
      { page: page * size, counted: (page - 1) * size, received: page, last: token === null ? 0 : Number(token) + 1 }[kind as 'page'] ??
      Number(token ?? 0);
    const to = kind === 'none' ? total : Math.min(total, from + size);
    const data: Data = {
      rows: Array.from({ length: Math.max(0, to - from) }, (_, index) => ({ id: String(from + index) })),
      ...(kind === 'token' || kind === 'more' ? { next: to < total ? String(to) : null, more: to < total } : {}),
      ...(kind === 'merge' && to < total ? { onward: { token: String(to) } } : {}),
      ...(kind === 'counted' ? { pages: Math.ceil(total / size) } : {}),
      ...(isClaimed ? { total } : {}),
    };
    const { lost } = this;
    if (lost?.path !== path || lost.times === 0) return data;
    lost.times -= 1;
    return listless[this.#world.as](data);
  }
}

/** The rows that a pipe gets, and its error. */
async function inPipe(client: AnyClient, { pages }: World): Promise<{ readonly rows: readonly string[]; readonly error?: unknown }> {
  const factory = (client as unknown as { readonly rows: PageFactory<object, PageLike, never> }).rows;
  const options = { maxPages: pages === 'all' ? Infinity : pages };
  const is = pagingKindOf((factory as PageFactory<object, PageLike>).paging).operator;
  const walked =
    is === undefined
      ? (factory as (query: object) => Observable<PageLike>)({})
      : of({}).pipe(is === 'expandCursor' ? expandCursor(factory, options) : offsetPages(factory, options));
  const signals = await lastValueFrom(walked.pipe(items(), materialize(), toArray()));
  const rows = signals.flatMap((signal) => (signal.kind === 'N' ? [(signal.value as { readonly id: string }).id] : []));
  const last = signals.at(-1)!;
  return last.kind === 'E' ? { rows, error: last.error } : { rows };
}

/** The runs of a flow in one folder. */
class Runs {
  readonly #world: World;
  readonly #listless: Listless;
  readonly #flow: FlowDefinition;
  readonly #fileSystem = new MemoryFileSystem();

  constructor(world: World, service: Listless) {
    this.#world = world;
    this.#listless = service;
    const gone = world.way === 'update' ? { gone: 'drop', by: 'id' } : {};
    const stages = { rows: { call: 'rows', pages: world.pages, to: 'rows.jsonl', ...gone } };
    this.#flow = {
      name: 'listless',
      service: service.service,
      ...(world.way === 'store' ? { store: 'store' } : {}),
      stages,
    } as FlowDefinition;
  }

  async run(more: Partial<RunFlowOptions> = {}): Promise<FlowSummary> {
    const own = this.#listless.client;
    const client = this.#world.way === 'queue' ? remoteClient(own) : own;
    try {
      const options = { client: client as never, outDir: '/out', fileSystem: this.#fileSystem, commitMs: 0, ...more };
      return (await lastValueFrom(runFlow(this.#flow, options))) as FlowSummary;
    } finally {
      if (client !== own) await client.close();
      await own.close();
    }
  }

  lines(path: string): readonly object[] {
    const text = this.#fileSystem.disk.read(path)?.toString() ?? '';
    return text.split('\n').slice(0, -1).map((line) => JSON.parse(line) as object); // prettier-ignore
  }

  rows(folder = '/out'): readonly string[] {
    return this.lines(`${folder}/rows.jsonl`).map((row) => (row as { readonly id: string }).id);
  }
}

/** Throws if something isn't as it should be. */
function hold(what: string, came: unknown, wanted: unknown): void {
  if (JSON.stringify(came) !== JSON.stringify(wanted)) throw new Error(`${what}: ${JSON.stringify(came)}, not ${JSON.stringify(wanted)}`);
}

/** What an error says of the list: its kind, its requests, and whether it names it. */
function saidOf(error: unknown): readonly unknown[] {
  const { name, kind, attempts, message } = error as { readonly [field in 'name' | 'kind' | 'attempts' | 'message']?: unknown };
  return [name, kind, attempts, String(message).includes('rows')];
}
const noList = ['PayloadError', 'noList', 2, true];

/** Plays a world. Throws where a page without its list was taken for one. */
async function play(world: World): Promise<void> {
  const { way, kind, as, at, isOnce } = world;
  const isFree = new Listless(world);
  const clean = await inPipe(isFree.client, world);
  const paths = isFree.sent;
  const path = paths[at % paths.length]!;
  const nth = paths.indexOf(path);
  const service = new Listless(world);
  const lose = (): void => void (service.lost = { path, times: isOnce ? 1 : Infinity });
  const sent = isOnce ? paths.length + 1 : nth + 2;

  if (way === 'pipe') {
    lose();
    const { rows, error } = await inPipe(service.client, world);
    hold('requests', service.sent.length, sent);
    hold('rows', rows, isOnce ? clean.rows : clean.rows.slice(0, rows.length));
    hold('the error', error && saidOf(error), isOnce ? undefined : noList);
    return;
  }

  const runs = new Runs(world, service);
  const isUpdate = way === 'update';
  if (isUpdate) hold('rows before', (await runs.run()).stages[0]!.rows, clean.rows.length);
  service.sent.length = 0;
  lose();
  const summary = await runs.run({ update: isUpdate });
  const isAll = isUpdate || isOnce; // an update keeps what it didn't find
  hold('rows', runs.rows().toSorted(), isAll ? clean.rows : clean.rows.slice(0, runs.rows().length));
  if (!isUpdate) hold('requests', service.sent.length, sent);
  hold('failed', summary.stages[0]!.failed, isOnce ? 0 : 1);
  if (isOnce) return;
  hold('outcome', summary.outcome, 'failed');
  hold(
    'failures',
    runs.lines('/out/failures.jsonl').map((line) => saidOf((line as { readonly error: unknown }).error)),
    [noList],
  );
  for (const { gone } of summary.changes ?? []) hold('gone', gone, 0);

  // Once the service is well, the rows come: the page that was none is requested, and no store has it.
  service.lost = undefined;
  service.sent.length = 0;
  const isAgain = way === 'store' && as.length % 2 === 0;
  const outDir = isAgain ? '/again' : '/out';
  const healed = await runs.run({ failures: !isAgain, outDir });
  hold('rows once it is well', runs.rows(outDir).toSorted(), clean.rows);
  hold('failed once it is well', healed.stages[0]!.failed, 0);
  hold('failures once it is well', runs.lines(`${outDir}/failures.jsonl`), []);
  hold('the page is requested', service.sent.includes(path), true);
  // An update walks from the start. A walk of tokens that is taken up may ask once more, to know whether the service counts their pages.
  const most = isUpdate ? paths.length : paths.length - nth + ('next' in kinds[kind] ? 1 : 0);
  hold('no page is requested that came', service.sent.length <= most, true);
}

describe('a page without its list', () => {
  it.each(ways)(
    'is no page, whatever the paging: %s',
    async (way) => {
      const worlds = anyWorld.map((world) => ({ ...world, way }));
      const { counterexample, errorInstance } = await fc.check(fc.asyncProperty(worlds, play), {
        numRuns: count / ways.length,
        endOnFailure: true,
      });
      expect([counterexample, errorInstance]).toEqual([null, null]);
    },
    600_000,
  );
});
