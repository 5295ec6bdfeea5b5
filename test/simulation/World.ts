/** A whole world as plain data: it is drawn from a seed, run, made smaller, and told. */
export interface World {
  /** Of all that is left to chance while it runs: how long things take, what a power cut leaves. */
  readonly seed: number;
  readonly operations: readonly WorldOperation[];
  readonly stages: readonly WorldStage[];
  readonly limit?: { readonly perSecond: number; readonly told: boolean } | undefined;
  /** The service is away for this long. */
  readonly outage?: { readonly fromMs: number; readonly forMs: number; readonly as: 'reset' | 503 } | undefined;
  readonly store?: boolean | undefined;
  /** The disk is as under Windows. */
  readonly windows?: boolean | undefined;
  /** What is synced takes longer than a response. */
  readonly slowDisk?: boolean | undefined;
  readonly life: readonly LifeStep[];
}

/** What a service needs to know of a world. */
export type ServedWorld = Pick<World, 'seed' | 'operations' | 'limit' | 'outage'>;

export const pagings = ['token', 'more', 'page', 'received', 'last', 'pages'] as const;

/** `scroll`: the token stays the same, because the service counts its pages. */
export const flowPagings = [...pagings, 'scroll', 'merge'] as const;

export interface WorldOperation {
  readonly paging: (typeof flowPagings)[number];
  /** Rows of a page. */
  readonly size: number;
  /** Rows of a query, at most. */
  readonly rows: number;
  /** Rows that share a group, which others may ask for. */
  readonly ties?: number | undefined;
  /** How many rows there are, as each page says: so many more than there are. */
  readonly claims?: number | undefined;
  readonly mishaps?: readonly Mishap[] | undefined;
  /** The service never gives more rows of one query. Narrower ones bring the others. */
  readonly cap?: number | undefined;
  /** What its rows have besides: a price, or where they lie on the map. */
  readonly has?: 'price' | 'place' | undefined;
  /** A search of the map sees an ellipse, not a rectangle. */
  readonly ellipse?: true | undefined;
  /** So many rows from beyond its view follow, the nearest first. */
  readonly beyond?: number | undefined;
  /** The cheapest rows come first. */
  readonly sorted?: boolean | undefined;
  /** Its queries can be ordered by time. */
  readonly dated?: boolean | undefined;
}

/** What goes wrong with some responses: what brings no page, such as one without its list, or one without anything that it should have … */
export const failures = ['500', '503', '429', 'reset', 'torn', 'stalled', '400', 'noList', 'maintenance'] as const;
/** … and pages that look right. */
export const wrongPages = ['lostToken', 'emptyPage', 'shortPage', 'samePage'] as const;

/** Its pages may lack rows, and no number says so. */
export function isThin({ claims, mishaps = [] }: WorldOperation): boolean {
  return claims === undefined && mishaps.some(({ as }) => (wrongPages as readonly string[]).includes(as));
}

/** Of all queries of an operation, every so many; their responses from the nth on, so many times. `day`: only those from that day on count. */
export interface Mishap {
  readonly as: (typeof failures)[number] | (typeof wrongPages)[number];
  readonly every: number;
  readonly nth: number;
  readonly times: number;
  readonly day?: number | undefined;
}

/** By the values of a parameter, by prices, by days, or by tiles of the map. */
export const splits = [true, 'range', 'dates', 'area'] as const;

export interface WorldStage {
  readonly operation: number;
  /** The stage above. Left out: it has queries of its own. */
  readonly each?: number | undefined;
  /** The field of the row above. */
  readonly from?: 'id' | 'group' | undefined;
  /** How many queries of its own. */
  readonly queries?: number | undefined;
  readonly pages?: number | undefined;
  readonly limit?: number | undefined;
  readonly split?: (typeof splits)[number] | undefined;
  /** The rank of the row at which its queries end. */
  readonly until?: number | undefined;
  readonly since?: boolean | undefined;
  readonly gone?: 'keep' | 'drop' | undefined;
  readonly csv?: boolean | undefined;
  readonly by?: boolean | undefined;
  readonly expect?: boolean | undefined;
}

/**
 * Operations of a disk that change or sync something. `name`: only those that make, rename or remove files. `end`: those since the
 * last request, if there was one, of which a run's end has most.
 */
export type DiskCount = 'disk' | 'name' | 'end';

/** What a process comes to: its end, or something at the nth request, or at the nth operation of its disk. */
export type Fate =
  | { readonly kind: 'end' }
  | { readonly kind: 'kill' | 'power' | 'stop'; readonly at: number; readonly on: DiskCount | 'request' }
  | { readonly kind: 'full' | 'broken'; readonly at: number; readonly on?: DiskCount };

export type LifeStep =
  | {
      readonly kind: 'run';
      readonly fate: Fate;
      readonly failures?: boolean | undefined;
      readonly update?: boolean | undefined;
      readonly maxRequests?: number | undefined;
      readonly concurrency: number;
      /** Requests in flight. */
      readonly inFlight: number;
      readonly commitMs: number;
      /** Another process wants the folder at the nth request of this one. */
      readonly rival?: number | undefined;
      /** A day passes at the nth request. */
      readonly dayAt?: number | undefined;
    }
  /** A day on which rows come, change and go. */
  | { readonly kind: 'day' }
  /** Somebody sets the clock. */
  | { readonly kind: 'clock'; readonly ms: number }
  /** The flow is edited, in a way that leaves it the same. */
  | { readonly kind: 'edit' };

/** A process of a life. */
export type Run = Extract<LifeStep, { readonly kind: 'run' }>;

/** At most one page without its list: two may follow each other for one query, and such a page that comes twice is a failure that stays. */
export function withOneListless(mishaps: readonly Mishap[]): Mishap[] {
  const first = mishaps.find(lacksList);
  return mishaps.filter((mishap) => mishap === first || !lacksList(mishap));
}

function lacksList({ as }: Mishap): boolean {
  return as === 'noList' || as === 'maintenance';
}
