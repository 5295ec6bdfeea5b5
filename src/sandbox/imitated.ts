import type { Service } from '../contract/Service.ts';
import type { OperationName } from '../search/operations.ts';
import { searchService } from '../search/searchService.ts';
import { responses } from './responses/responses.ts';
import type { World, WorldQuery } from './world/World.ts';

/** The service that the sandbox imitates: its description, and what its responses hold. */
export interface Imitated {
  readonly service: Service;
  /** The data of a correct response. Throws a SandboxRefusal if there is none. */
  readonly dataOf: (operation: string, query: WorldQuery, world: World) => object;
}

export const imitated: Imitated = {
  service: searchService,
  dataOf: (operation, query, world) => responses[operation as OperationName](query, world),
};
