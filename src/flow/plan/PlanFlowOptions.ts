import type { FlowDefinition } from '../definition/flowFormat.ts';
import type { Destinations } from '../load/RunLoads.ts';
import type { FlowClient } from '../run/FlowClient.ts';
import { anything, like, whole, declareOptions } from '../../../operators/options/index.ts';

export interface PlanFlowOptions {
  /** The price of one request, in any currency. @default none */
  readonly price?: number | undefined;
  /**
   * Runs this many of the first queries and everything below them through `client`, and extrapolates. Below 1 it is a share of them, and at
   * least three of each stage are run. @default 0: no requests
   */
  readonly sample?: number | undefined;
  /** The most requests of the sample. @default Infinity */
  readonly sampleRequests?: number | undefined;
  /** Told what the sample will send, before it does: the number of first queries, and the requests for all below them. @default nobody */
  readonly sampling?:
    | ((sample: {
        readonly roots: number;
        readonly of: number;
        readonly requests: { readonly atLeast: number; readonly atMost: number };
      }) => void)
    | undefined;
  /** The store in which to count what is already paid for, written as in a flow. @default the flow's own */
  readonly store?: FlowDefinition['store'];
  /**
   * Where the run will send its requests. What a sandbox on this machine returned counts only for such an address.
   * @default TRAWLER_BASE_URL
   */
  readonly baseUrl?: string | undefined;
  /** Checks that the tables there take the rows. @default not checked */
  readonly destinations?: Destinations | undefined;
  /** Needed for a sample only. */
  readonly client?: FlowClient | undefined;
}

export const planFlowOptions = declareOptions<PlanFlowOptions>()({
  price: like('a number from 0 on', (value) => Number.isFinite(value) && (value as number) >= 0),
  sample: like<number>(
    'a whole number from 0 on, or a share below 1',
    (size) => (size as number) >= 0 && ((size as number) < 1 || Number.isSafeInteger(size)),
  ).or(0),
  sampleRequests: whole({ from: 1 }).or(Infinity),
  sampling: anything(),
  store: anything(),
  baseUrl: anything<string>(),
  destinations: anything<Destinations>(),
  client: anything(),
});
