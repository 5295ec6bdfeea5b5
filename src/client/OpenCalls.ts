import { Members, type Member } from '../../operators/kit/Members.ts';
import type { Operation } from '../contract/index.ts';
import type { Task } from './admission/Task.ts';

const withOpen = new Set<OpenCalls>();

interface OpenCall extends Task, Member {
  readonly request?: { readonly operation: Operation } | undefined;
}

/** The calls of one client that aren't over. A process that ends while there are any says so, once. */
export class OpenCalls extends Members<OpenCall> {
  override add(call: OpenCall): void {
    if (this.size === 0) {
      if (withOpen.size === 0) process.once('exit', tell);
      withOpen.add(this);
    }
    super.add(call);
  }

  override delete(call: OpenCall): boolean {
    const was = super.delete(call);
    if (was && this.size === 0) {
      withOpen.delete(this);
      if (withOpen.size === 0) process.off('exit', tell);
    }
    return was;
  }
}

function tell(code: number): void {
  if (code > 128) return; // a signal stopped it, which is no mistake
  const open = Array.from(withOpen).reduce((sum, calls) => sum + calls.size, 0);
  const streams = open === 1 ? '1 open stream' : `${open} open streams`;
  const { writeSync } = process.getBuiltinModule('node:fs');
  try {
    writeSync(2, `trawler: the process ended with ${streams} of a client that wasn't closed; let them end, or await client.close()\n`);
  } catch {
    // nobody can be told
  }
}
