import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import type { Task } from './Task.ts';

/** Who holds a task back; nobody when it was let go, or when its page isn't what the holder has too much of. */
export function holderOf(task: Task): DemandNode | undefined {
  if (task.letGo === true) return undefined;
  const holder = task.node?.holder();
  return holder === undefined || task.leadsTo?.(holder) === false ? undefined : holder;
}
