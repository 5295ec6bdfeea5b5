import type { OperationName } from '../search/operations.ts';
import { searchService } from '../search/searchService.ts';
import { allowed } from './readQuery.ts';
import { responses } from './responses/responses.ts';
import type { World, WorldQuery } from './world/World.ts';
import type { Operation, Service } from '../contract/index.ts';

/** What a correct response has. */
export interface ImitatedResponse {
  readonly data: unknown;
  /** What stands beside the data in the body, by dotted path. */
  readonly beside?: { readonly [path: string]: unknown };
  readonly headers?: { readonly [name: string]: string };
}

/** A service that the sandbox imitates: its description, and what its responses hold. */
export interface Imitated {
  readonly service: Service;
  /** The query that a request means: its token may have the rest of it. Throws a SandboxRefusal if it isn't allowed. */
  readonly meant: (operation: Operation, query: WorldQuery, world: World) => WorldQuery;
  /** A correct response. Throws a SandboxRefusal if there is none. */
  readonly respond: (operation: Operation, query: WorldQuery, world: World) => ImitatedResponse;
}

/** The embedded service. */
export const searchImitated: Imitated = {
  service: searchService,
  meant: allowed,
  respond: ({ name, spec }, query, world) => {
    const html = query['html'] === true ? { html: `<!doctype html><title>${spec.title}</title>` } : {};
    return { data: { ...responses[name as OperationName](query, world), ...html } };
  },
};
