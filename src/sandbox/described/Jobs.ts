import type { Operation } from '../../contract/Operation.ts';
import { jobPath } from '../../contract/request.ts';
import type { WorldQuery } from '../world/World.ts';

/** A query whose rows come later. */
interface SandboxJob {
  readonly operation: Operation;
  readonly query: WorldQuery;
  readonly id: string;
  /** Somebody asked for its rows before. */
  readonly isAsked: boolean;
}

/** The jobs that a sandbox was given. Each is pending when its rows are first requested, and done at the next request. */
export class Jobs {
  readonly #byPath = new Map<string, SandboxJob>();
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  at(path: string): SandboxJob | undefined {
    return this.#byPath.get(path);
  }

  /**
   * Starts a job for a query, unless `job` has begun. Returns what leads to its rows: their address, or an id. undefined: they are there.
   */
  pending(operation: Operation, query: WorldQuery, job: SandboxJob | undefined): string | undefined {
    if (operation.spec.job === undefined || job?.isAsked === true) return undefined;
    const { get: made } = operation.spec.job;
    const id = job?.id ?? String(this.#byPath.size + 1);
    const path = `${this.#prefix}${made === undefined ? `/jobs/${id}` : jobPath(made, id)}`;
    this.#byPath.set(path, { operation, query, id, isAsked: job !== undefined });
    return made === undefined ? path : id;
  }
}
