import type { Subscription } from 'rxjs';
import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { BegunQuery } from '../core/Query.ts';
import type { FlowView } from '../core/FlowState.ts';
import { type FlowClient, type PageOutcome, requestPage } from './FlowClient.ts';
import { passes, wasSent } from '../state/failureOf.ts';

const refusals = 5;

interface ServiceWatchOptions {
  readonly client: FlowClient;
  /** The nodes of the stages on the way to the files. */
  readonly nodes: ReadonlyMap<string, DemandNode>;
}

/**
 * Knows whether the service responds to anybody: from its responses, or by requesting an earlier page again. This
 * distinguishes a query that always fails from an outage.
 */
export class ServiceWatch {
  readonly #flow: Flow;
  readonly #state: FlowView;
  readonly #options: ServiceWatchOptions;
  /** When each operation had its last response. */
  readonly #servedAt = new Map<string, number>();
  readonly #probing = new Map<string, Promise<unknown>>();
  readonly #requests = new Set<Subscription>();
  readonly #events: Subscription;

  constructor(flow: Flow, state: FlowView, options: ServiceWatchOptions) {
    this.#flow = flow;
    this.#state = state;
    this.#options = options;
    this.#events = options.client.events$.subscribe(({ type, operation }) => {
      if (type === 'response') this.#servedAt.set(operation, performance.now());
    });
  }

  /** Whether a response has come since a moment, to the stage's own operation if it ever had one. */
  hasServed(stage: FlowStage, since: number): boolean {
    const known = this.#known(stage);
    return known !== undefined && (this.#servedAt.get(this.#operationOf(known)) ?? -Infinity) >= since;
  }

  /**
   * Requests a page again that came before, past the store. Resolves with the error, if it is one of an outage or one that
   * must stop the run. Costs one request. If no page ever came, nobody gets through: `fallback`.
   */
  probe(stage: FlowStage, fallback: unknown): Promise<unknown> {
    const query = this.#known(stage);
    if (query === undefined) return Promise.resolve(fallback);
    const operation = this.#operationOf(query);
    let probing = this.#probing.get(operation);
    if (probing === undefined) {
      probing = this.#send(query).then((error) => {
        this.#probing.delete(operation);
        if (error === undefined || !passes(error)) this.#servedAt.set(operation, performance.now());
        return error;
      });
      this.#probing.set(operation, probing);
    }
    return probing;
  }

  close(): void {
    this.#events.unsubscribe();
    for (const request of this.#requests) request.unsubscribe();
  }

  /** In a long outage a client refuses whatever waits. Then this request says nothing before it was sent. */
  async #send(query: BegunQuery): Promise<unknown> {
    let error = await this.#request(query);
    for (let again = 0; again < refusals && passes(error) && !wasSent(error); again++) error = await this.#request(query);
    return error;
  }

  #request(query: BegunQuery): Promise<unknown> {
    const { client, nodes } = this.#options;
    return new Promise((resolve) => {
      const receive = (outcome: PageOutcome): void => resolve('page' in outcome ? undefined : outcome.error);
      const request = requestPage(this.#flow, client, query, nodes.get(query.stage)!, receive, true);
      if (request !== undefined) this.#requests.add(request);
    });
  }

  /** A query whose page came: of the stage, else of any. */
  #known({ name }: FlowStage): BegunQuery | undefined {
    const { served } = this.#state;
    return served.get(name) ?? served.values().next().value;
  }

  #operationOf({ stage }: BegunQuery): string {
    return this.#flow.byName.get(stage)!.operation.name;
  }
}
