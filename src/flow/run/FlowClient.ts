import type { Observable } from 'rxjs';
import type { PageLike, PageRequest } from '../../../operators/PageLike.ts';
import { FlowError } from '../../errors/index.ts';
import type { AnyClient } from '../../client/Client.ts';
import type { FlowStage } from '../definition/Flow.ts';

/** The members of a client that a run needs besides its flow's operations. */
export type FlowClient = Pick<AnyClient, 'stats' | 'events$'> & Partial<Pick<AnyClient, 'drift'>>;

/** The client's function for a stage's operation. */
export function factoryOf(client: FlowClient, stage: FlowStage): (query: object, request?: PageRequest) => Observable<PageLike> {
  const { name } = stage.operation;
  const factory: unknown = name in client ? client[name as keyof FlowClient] : undefined;
  if (typeof factory !== 'function') throw new FlowError(`stage ${stage.name}: the client that was given has no ${name}`);
  return factory as (query: object, request?: PageRequest) => Observable<PageLike>;
}
