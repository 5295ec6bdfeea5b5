import { Observable } from 'rxjs';
import type { Client } from '../../client/Client.ts';
import type { FileSystem } from '../../sinks/FileSystem.ts';
import type { Flow } from '../definition/Flow.ts';
import type { FlowDefinition } from '../definition/FlowDefinition.ts';
import type { FlowProgress } from './FlowProgress.ts';

/** Of a client, what a run needs: any object with the operations that the flow calls. */
export type FlowClient = Pick<Client, 'stats' | 'events$'>;

export interface RunFlowOptions {
  /** A client; the operations that the flow calls are asked through it. */
  readonly client: FlowClient;
  /** Where the files go; made when it isn't there. */
  readonly outDir: string;
  /** Goes on where an earlier run into the same folder stopped; false refuses to. @default true */
  readonly resume?: boolean | undefined;
  /** Moves what an earlier run left into a numbered folder beside it, and starts anew. @default false */
  readonly fresh?: boolean | undefined;
  /** Runs the units that failed, and those only, and adds their rows to the finished files. @default false */
  readonly failures?: boolean | undefined;
  /** Units in flight; how many requests are is up to the client. @default 32 */
  readonly concurrency?: number | undefined;
  /** Instead of the flow's own. @default the flow's */
  readonly maxRequests?: number | undefined;
  /** A commit happens this long after the first page that isn't committed, at the latest. @default 1000 */
  readonly commitMs?: number | undefined;
  /** Stops the run as unsubscribing does, and still gives the summary. */
  readonly signal?: AbortSignal | undefined;
  /** What the files are written through. @default the disk */
  readonly fileSystem?: FileSystem | undefined;
}

/**
 * Runs a flow. Cold: nothing happens until somebody subscribes, and the last value is the summary. Unsubscribing stops
 * asking, finishes the commit and closes; running it again goes on from there.
 */
export function runFlow(flow: Flow | FlowDefinition, options: RunFlowOptions): Observable<FlowProgress> {
  return new Observable(subscriber => subscriber.error(new Error(`${flow.name}: not yet (${options.outDir})`)));
}
