import { firstValueFrom, Observable, ReplaySubject, takeUntil } from 'rxjs';
import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import { withDemand } from '../../../operators/demand/demandScope.ts';
import { Listener } from '../../../operators/kit/Listener.ts';
import type { PageLike } from '../../../operators/PageFactory.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { SeedBatch } from '../seeds/SeedReader.ts';
import type { Learnt, Look } from '../split/learnSight.ts';
import { tilesOf } from '../split/tilesOf.ts';
import type { FlowStore } from '../state/FlowStore.ts';
import { factoryOf, type FlowClient } from './FlowClient.ts';

interface SeedTilesOptions {
  readonly client: FlowClient;
  /** The places of the stages on the way to the files. */
  readonly nodes: ReadonlyMap<string, DemandNode>;
  /** Called after each step taken into the store. */
  readonly stepped: () => void;
}

/** Turns the seeds of stages that cover areas into first tiles. The first time, searches find out the view of a search. */
export class SeedTiles {
  readonly #flow: Flow;
  readonly #store: FlowStore;
  readonly #options: SeedTilesOptions;
  readonly #learnt: Map<string, Learnt>;
  readonly #stopped = new ReplaySubject<void>(1);
  #searching = false;

  constructor(flow: Flow, store: FlowStore, options: SeedTilesOptions) {
    this.#flow = flow;
    this.#store = store;
    this.#options = options;
    this.#learnt = new Map(store.state.learnt);
  }

  /** Seeds wait for searches that find out the view. */
  get searching(): boolean {
    return this.#searching;
  }

  /** The seeds of a stage, as tiles if it covers areas. */
  async tiled(stage: FlowStage, batch: SeedBatch): Promise<SeedBatch> {
    if (stage.split?.kind !== 'area' || batch.found.length === 0) return batch;
    const index = this.#flow.stages.indexOf(stage);
    const learning = {
      before: this.#store.state.looks.get(stage.name) ?? [],
      request: (query: object) => this.#page(stage, query),
      looked: (look: Look) => {
        this.#store.take({ kind: 'look', stage: index, ...look });
        this.#options.stepped();
      },
    };
    this.#searching = true;
    try {
      const { found, learnt } = await tilesOf(stage, stage.split, batch.found, learning, this.#learnt.get(stage.name));
      if (learnt !== undefined) this.#learnt.set(stage.name, learnt);
      return { ...batch, found };
    } finally {
      this.#searching = false;
    }
  }

  /** No more pages arrive. */
  stop(): void {
    this.#stopped.next();
  }

  /** A page of a search. It waits while the run may not send requests, and never arrives once the run has stopped. */
  #page(stage: FlowStage, query: object): Promise<PageLike> {
    const { client, nodes } = this.#options;
    const node = nodes.get(stage.name)!;
    const page$ = new Observable<PageLike>((destination) => {
      const listener = new Listener<PageLike>(destination);
      withDemand(node, () => factoryOf(client, stage)(query, { label: stage.name }).subscribe(listener));
      return listener;
    });
    return firstValueFrom(page$.pipe(takeUntil(this.#stopped)));
  }
}
