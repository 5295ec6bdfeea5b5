import {
  envelopeOf,
  pageHeadersOf,
  pagingRequestOf,
  batchOf,
  type BatchParam,
  type EnvelopeSpec,
  type Operation,
  type PageHeaders,
} from '../contract/index.ts';
import { memoizePer } from '../../operators/kit/once.ts';
import type { RowOrigin } from '../../operators/rowOrigin.ts';
import type { LimitGroup, LimitGroups } from './admission/LimitGroups.ts';
import type { Settings } from './options/resolveOptions.ts';
import type { ListPlan } from './spans/SpanReader.ts';

/** What a client knows of an operation, made once. A feature that the operation doesn't use is an absent member, and costs one `if`. */
export interface OperationPlan extends ListPlan {
  readonly operation: Operation;
  /** The limit that its requests count against. */
  readonly limitGroup: LimitGroup;
  /** How its responses wrap their data. */
  readonly envelope: EnvelopeSpec;
  /** Its queries share requests. */
  readonly batch: BatchParam | undefined;
  /** What headers say about a page. */
  readonly pageHeaders: PageHeaders | undefined;
  /** A query may be an address. */
  readonly pagesByAddress: boolean;
  /** The rows so far, and those among them that can't be used. */
  readonly rows: { seen: number; bad: number };
  /** Where rows come from, for each list that was read. */
  readonly origins: Map<string | null, RowOrigin>;
}

/** Makes the plans of a client's operations. */
export function planOperations({ service }: Settings, limitGroups: LimitGroups): (operation: Operation) => OperationPlan {
  return memoizePer((operation) => ({
    operation,
    limitGroup: limitGroups.of(operation),
    envelope: envelopeOf(service, operation),
    response: operation.spec.variants === undefined ? operation.spec : undefined,
    batch: batchOf(operation),
    pageHeaders: pageHeadersOf(operation.spec),
    pagesByAddress: pagingRequestOf(operation.spec.paging).address !== undefined,
    rows: { seen: 0, bad: 0 },
    origins: new Map(),
    lastList: undefined,
  }));
}
