import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { lastValueFrom, materialize, of, toArray } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expandCursor, items, offsetPages, type PageFactory, type PageLike } from '../operators/index.ts';
import { defineOperation, defineService, pagingKindOf } from '../src/contract/index.ts';
import { createClient } from '../src/createClient.ts';
import { runFlow, type FlowDefinition } from '../src/flow/index.ts';

const count = process.env['TRAWLER_LONG'] === '1' ? 2000 : 30;

const kinds = {
  cursor: { query: { token: '${cursor}' }, next: 'next' },
  scroll: { query: { token: '${cursor}' }, next: 'next', repeats: true },
  last: { query: { token: '${last.id}' } },
  merge: { merge: 'next' },
  pages: { query: { page: '${page:1}' }, pages: 'pages' },
} as const;
const takesMore = (kind: keyof typeof kinds): boolean => kind !== 'merge';

/** What goes wrong with the second response of a walk, where a claim tells that rows are missing or come twice. */
const mishaps = ['none', 'lost', 'empty', 'repeated', 'overlaps'] as const;

interface World {
  readonly kind: keyof typeof kinds;
  readonly more: boolean;
  readonly claims: boolean;
  readonly alone: boolean;
  readonly total: number;
  readonly size: number;
  readonly mishap: (typeof mishaps)[number];
}
const anyWorld: fc.Arbitrary<World> = fc
  .record({
    kind: fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[])),
    more: fc.boolean(),
    claims: fc.boolean(),
    alone: fc.boolean(),
    total: fc.nat(60),
    size: fc.integer({ min: 1, max: 25 }),
    mishap: fc.constantFrom(...mishaps),
  })
  // A scroll that is requested again is one page further, so nothing can be mended.
  .map((world) => (world.claims && world.kind !== 'scroll' ? world : { ...world, mishap: 'none' }));
const worlds = fc.sample(anyWorld, { numRuns: count, seed: 7 }).map((world, number) => ({ ...world, q: String(number) }));

const operationOf = ({ kind, more, claims, alone }: World): string =>
  [kind, more && takesMore(kind) && 'more', claims && 'claims', alone && 'alone'].filter(Boolean).join('_');
const service = defineService({
  name: 'worlds',
  operations: Object.fromEntries(
    worlds.map((world) => {
      const { kind, claims, alone } = world;
      const name = operationOf(world);
      const isAlone = alone ? { alone: kind === 'pages' ? (['q'] as const) : (true as const) } : {};
      const spec = {
        get: `/${name}`,
        params: { q: { type: 'string', required: true }, limit: { type: 'string' }, token: { type: 'string' }, page: { type: 'integer' } },
        response: { rows: [{ id: 'string' }], 'next?': 'unknown', 'more?': 'boolean', 'pages?': 'integer', 'total?': 'integer' },
        rows: 'rows',
        ...kinds[kind],
        ...(name.includes('more') ? { more: 'more' } : {}),
        ...isAlone,
        ...(claims ? { total: 'total', id: 'id' } : {}),
      } as const;
      return [name, defineOperation(spec)];
    }),
  ),
});

/** The requests of each world so far. */
let requests = new Map<string, number>();
/** What was sent with a token that should have been alone. */
let refused: string[] = [];

function respond(operation: string, sent: URLSearchParams): object {
  const token = sent.get('token') ?? sent.get('from');
  const q = sent.get('q') ?? token!.split(':')[0]!;
  const { kind, total, size, mishap, alone } = worlds[Number(q)]!;
  const nth = (requests.get(q) ?? 0) + 1;
  requests.set(q, nth);
  const page = Number(sent.get('page') ?? 1);
  if (alone && (token !== null || page > 1) && sent.has('limit')) refused.push(`${operation}?${sent.toString()}`);
  const behind = token === null ? 0 : Number(token.split(':')[1]) + (kind === 'last' ? 1 : 0);
  const from = kind === 'pages' ? (page - 1) * size : kind === 'scroll' ? (nth - 1) * size : behind;
  const is = nth === 2 ? mishap : 'none';
  const first = is === 'repeated' ? Math.max(0, from - size) : is === 'overlaps' ? Math.max(0, from - 1) : from;
  const length = is === 'empty' ? 0 : Math.max(0, Math.min(is === 'repeated' ? first + size : from + size, total) - first);
  const hasMore = from + size < total && is !== 'lost';
  const next = kind === 'merge' ? { from: `${q}:${from + size}` } : kind === 'scroll' ? `${q}:0` : `${q}:${from + size}`;
  return {
    rows: Array.from({ length }, (_, index) => ({ id: `${q}:${first + index}` })),
    ...(hasMore || (kind === 'scroll' && length > 0) ? { next } : {}),
    more: hasMore,
    pages: Math.ceil(total / size),
    total,
  };
}

describe(`${count} small worlds`, () => {
  let server: Server;
  let url: string;
  const folder = mkdtempSync(join(tmpdir(), 'trawler-paged-'));

  beforeAll(async () => {
    server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url!, url);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(respond(pathname.slice(1), searchParams)));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('bring all rows, each once, or say that some are missing, in a pipe as in a flow, with two requests more than needed at most', async () => {
    const inPipe = new Map<string, { readonly rows: readonly string[]; readonly isSaid: boolean }>();
    {
      await using client = createClient({ service, baseUrl: url, rate: 'unlimited' });
      const said = new Set<string>();
      client.events$.subscribe(({ type, ...event }) => {
        if (['short', 'thinPage', 'fullEnd'].includes(type)) said.add((event as { query: { q: string } }).query.q);
      });
      const factories = client as unknown as { readonly [name: string]: PageFactory<object, PageLike, never> };
      for (const world of worlds) {
        const { q } = world;
        const factory = factories[operationOf(world)]!;
        const walk =
          pagingKindOf((factory as PageFactory<object, PageLike>).paging).operator === 'expandCursor'
            ? expandCursor(factory)
            : offsetPages(factory);
        const signals = await lastValueFrom(of({ q, limit: '9' }).pipe(walk, items(), materialize(), toArray()));
        const rows = signals.flatMap((signal) => (signal.kind === 'N' ? [(signal.value as { id: string }).id] : []));
        inPipe.set(q, { rows, isSaid: said.has(q) || signals.at(-1)!.kind === 'E' });
      }
    }
    const ofPipe = requests;
    requests = new Map();

    const names = Object.keys(service.operations);
    const stages = Object.fromEntries(
      names.map((name) => {
        const queries = worlds.filter((world) => operationOf(world) === name).map(({ q }) => q);
        return [name, { call: name, with: { q: queries, limit: '9' }, pages: 'all', to: `${name}.jsonl` }];
      }),
    );
    await using client = createClient({ service, baseUrl: url, rate: 'unlimited' });
    const flow = { name: 'worlds', service, stages } as FlowDefinition;
    await lastValueFrom(runFlow(flow, { client: client as never, outDir: folder, concurrency: 1 }));
    const inFlow = new Map<string, string[]>(worlds.map(({ q }) => [q, []]));
    for (const name of names) {
      for (const line of readFileSync(join(folder, `${name}.jsonl`), 'utf8')
        .split('\n')
        .slice(0, -1)) {
        const { id } = JSON.parse(line) as { id: string };
        inFlow.get(id.split(':')[0]!)!.push(id);
      }
    }

    const wrong = worlds.flatMap((world) => {
      const { q, total, size, mishap } = world;
      const { rows, isSaid } = inPipe.get(q)!;
      const all = Array.from({ length: total }, (_, rank) => `${q}:${rank}`);
      const needed = Math.max(1, Math.ceil(total / size));
      const [sent, sentByFlow] = [ofPipe.get(q)!, requests.get(q)!];
      const faults = [
        ...(String(rows) === String(all) || (mishap !== 'none' && isSaid && new Set(rows).size === rows.length)
          ? []
          : [`rows ${rows.length}`]),
        ...(String(inFlow.get(q)) === String(rows) ? [] : [`in a flow ${inFlow.get(q)!.length} of ${rows.length} rows`]),
        ...(sent <= needed + 2 ? [] : [`${sent} requests for ${needed}`]),
        ...(sentByFlow === sent ? [] : [`${sentByFlow} requests of a flow, ${sent} of a pipe`]),
      ];
      return faults.length === 0 ? [] : [`${JSON.stringify(world)}: ${faults.join(', ')}`];
    });
    expect(refused).toEqual([]);
    expect(wrong).toEqual([]);
    // Nearly all are mended by a recheck.
    const disturbed = worlds.filter(({ mishap }) => mishap !== 'none');
    expect(disturbed.filter(({ q, total }) => inPipe.get(q)!.rows.length < total).length).toBeLessThan(disturbed.length / 8);
  }, 600_000);
});
