import type { WalkEvent, PageLike } from '../PageLike.ts';
import { silentDoubts, type Doubt, type DoubtResult } from './Doubt.ts';
import type { WalkedOperation } from './WalkedOperation.ts';
import type { WalkState } from './WalkState.ts';

/** Second looks that found nothing, in a row, after which most are left out. */
const fewLooks = 7;
/** The same once a doubt was right: what happens to one page in ten is then missed after one run of looks in thirty. */
const manyLooks = 32;
/**
 * Pages that are trusted between two looks, beyond the number of looks that found nothing. After `n` of them the next page is
 * wrong with a chance of 1 in `n + 2`, so that about one wrong page is trusted between two looks.
 */
const trustedMore = 5;
const trustedAtMost = 100;
/** Looks at ends that come earlier than any that was true, if they find nothing. So 60 walks cost a dozen looks at most. */
const earlyLooks = 2;
/** Queries that are named when a doubt turns out right. */
const namedQueries = 100;

interface Trust {
  /** Looks that found nothing, in a row. One that is on its way counts. */
  vain: number;
  /** Those of them that were made only because the end came early. */
  early: number;
  /** The fewest pages of a walk whose end was looked at. */
  fewest: number;
  /** Pages since the last look. */
  since: number;
  patience: number;
  /** Queries whose pages were trusted, though nothing said so. */
  readonly unsaid: object[];
}

/**
 * What the second looks at suspect pages of one operation have found so far. A look that finds nothing is evidence: after a
 * few in a row most are left out, until one finds something.
 */
export class SecondLooks {
  private readonly trust = new Map<Doubt, Trust>();

  /** Whether to look a second time. `pages`: those of the walk so far. */
  wants(doubt: Doubt, pages: number): boolean {
    if (doubt === 'emptied') return true; // a row that was there is gone only for sure
    const trust = this.trust.get(doubt);
    return trust === undefined || isDue(trust) || (silentDoubts.has(doubt) && pages < trust.fewest && trust.early < earlyLooks);
  }

  /** What is to be said once a doubt was right: the pages that were trusted may lack rows too. */
  said({ doubt, is }: DoubtResult, operation: string): readonly WalkEvent[] {
    if (is !== 'right') return [];
    const message = 'it ended on a page like one that was not the last, and was not requested a second time';
    return (this.trust.get(doubt)?.unsaid ?? []).map((query) => ({ type: 'suspect', operation, query, message }));
  }

  /** Learns from a page. `query`: the one whose page it is. */
  learn({ doubt, is, pages }: DoubtResult, query: object): void {
    let trust = this.trust.get(doubt);
    if (trust === undefined) this.trust.set(doubt, (trust = newTrust(fewLooks)));
    switch (is) {
      case 'looked':
        if (!isDue(trust)) trust.early += 1;
        trust.vain += 1;
        trust.since = 0;
        trust.fewest = Math.min(trust.fewest, pages);
        break;
      case 'trusted':
        trust.since += 1;
        if (silentDoubts.has(doubt) && trust.unsaid.length < namedQueries) trust.unsaid.push(query);
        break;
      case 'right':
        this.trust.set(doubt, newTrust(manyLooks));
    }
  }
}

function newTrust(patience: number): Trust {
  return { vain: 0, early: 0, fewest: Infinity, since: 0, patience, unsaid: [] };
}

function isDue({ vain, since, patience }: Trust): boolean {
  return vain < patience || since >= Math.min(vain + trustedMore, trustedAtMost);
}

const known = new WeakMap<object, SecondLooks>();

/** What second looks at the pages of a factory have found so far. `of`: another factory that requests the same pages. */
export function looksOf(factory: object, of?: object): SecondLooks {
  let looks = known.get(factory);
  if (looks === undefined) known.set(factory, (looks = of === undefined ? new SecondLooks() : looksOf(of)));
  return looks;
}

const refused = new WeakSet<PageLike>();

/**
 * What to take as the page, if it was requested a second time and refused for good: one without rows. The walk then ends as it would
 * have without the second request, because it had the page. undefined: the walk fails, because the page would have led on, or
 * because the error isn't a refusal.
 */
export function refusedLook({ name }: WalkedOperation, { query, second }: WalkState, error: unknown): PageLike | undefined {
  if (second === undefined || second.doubt === 'idle' || (error as { readonly kind?: unknown } | undefined)?.kind !== 'final')
    return undefined;
  const page: PageLike = { operation: name, query, data: {}, items: [] };
  refused.add(page);
  return page;
}

export function isRefusedLook(page: PageLike): boolean {
  return refused.has(page);
}
