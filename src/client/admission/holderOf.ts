import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import type { Task } from './Task.ts';

/** The node that holds a task back. None if the task was released, or if its page doesn't add to that node's backlog. */
export function holderOf(task: Task): DemandNode | undefined {
  if (task.letGo === true) return undefined;
  const holder = task.node?.holder();
  return holder === undefined || task.leadsTo?.(holder) === false ? undefined : holder;
}
