import type { WalkEvent } from '../../../operators/PageFactory.ts';
import type { FlowProgress } from './FlowProgress.ts';

/** Tells what a walk noticed about a page of a stage, where it isn't as documented. */
export function tellNotices(stage: string, notices: readonly WalkEvent[], tell: (event: FlowProgress) => void): void {
  for (const notice of notices) {
    if (notice.type !== 'drift') continue;
    const message = `${notice.operation}: ${notice.issues.map((issue) => issue.message).join('; ')}`;
    tell({ type: 'notice', at: Date.now(), stage, message });
  }
}
