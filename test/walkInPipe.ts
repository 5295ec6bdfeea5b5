import { from, lastValueFrom, map, materialize, mergeMap, toArray, type Observable } from 'rxjs';
import { items, type PageFactory, type PageLike } from '../operators/index.ts';
import { walkPages } from '../operators/walk/walkPages.ts';
import type { StageProgress } from '../src/flow/index.ts';
import type { Service } from '../src/contract/index.ts';
import { fakeClient, type FakeRequest } from '../src/testing/index.ts';
import { limitsOf, worldResponses, worldService } from './walkWorlds.ts';

/** What the walks of one operation came to. */
export interface WalksOutcome {
  readonly requests: readonly string[];
  readonly rows: readonly string[];
  readonly failed: number;
  readonly capped: number;
  readonly short: number;
  readonly thinPages: number;
  readonly fullEnds: number;
}

/** Walks the worlds of an operation in a pipe, one after the other. */
export async function walkInPipe(
  operation: string,
  worlds: readonly string[],
  respond: (request: FakeRequest) => object = worldResponses(),
  service: Service = worldService,
): Promise<WalksOutcome> {
  const alone = { ...service, operations: { [operation]: service.operations[operation]! } };
  const { client, requests } = fakeClient(alone, respond, { retry: { maxAttempts: 1 } });
  const factory = (client as unknown as { readonly [name: string]: PageFactory<object, PageLike> })[operation]!;
  const events: { readonly type: string; readonly tolerable?: boolean; readonly query?: { readonly world?: string } }[] = [];
  client.events$.subscribe((event) => void events.push(event as (typeof events)[number]));
  let failed = 0;
  let cut = 0;
  const limits = limitsOf(operation);
  const isClaimed = operation.includes('claimed');
  const walk = (world: string): Observable<readonly unknown[]> =>
    walkPages(
      factory,
      limits,
    )({ world }).pipe(
      items(),
      materialize(),
      toArray(),
      map((signals) => {
        const rows = signals.flatMap((signal) => (signal.kind === 'N' ? [signal.value] : []));
        const isWhole = isClaimed && rows.length >= Number.parseInt(world, 10);
        if (signals.at(-1)?.kind === 'E' && !isWhole) failed += 1;
        const isTold = events.some(({ type, query }) => type === 'capped' && query?.world === world);
        if (rows.length > (limits.maxItems ?? Infinity) && !isTold) cut += 1;
        return rows;
      }),
    );
  const walked = await lastValueFrom(from(worlds).pipe(mergeMap(walk, 1), toArray()));
  await client.close();
  const count = (type: string): number => events.filter((event) => event.type === type && event.tolerable !== true).length;
  const { maxItems = Infinity } = limits;
  const outcome = {
    requests: requests.map(({ query }) => JSON.stringify(query)),
    rows: walked.flatMap((rows) => rows.slice(0, maxItems)).map((row) => JSON.stringify(row)),
    failed,
    capped: count('capped'),
    short: count('short'),
    thinPages: count('thinPage'),
    fullEnds: count('fullEnd'),
  };
  return asInFlow(outcome, { overLimit: cut, isClaimed });
}

/**
 * The same as a flow says it. A flow cuts the last page at its limit, and says so. Where the number of rows is known, a
 * walk that can't continue is short, if rows are missing.
 */
function asInFlow(
  outcome: WalksOutcome,
  { overLimit, isClaimed }: { readonly overLimit: number; readonly isClaimed: boolean },
): WalksOutcome {
  const capped = outcome.capped + overLimit;
  if (!isClaimed) return { ...outcome, capped };
  return { ...outcome, capped, failed: 0, short: outcome.failed + outcome.short };
}

/** What a stage of a flow came to, as far as its counts say. */
export function countsOf({ failed, capped, short, thinPages = 0, fullEnds = 0 }: StageProgress): Omit<WalksOutcome, 'requests' | 'rows'> {
  return { failed, capped, short, thinPages, fullEnds };
}
