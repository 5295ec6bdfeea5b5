import { countOf, expectPages, formatDuration, endingOf, nextSteps, timeLeft } from '../../flow/report/index.ts';
import type { FlowSummary } from '../../flow/run/FlowProgress.ts';
import { outcomeOf } from '../../flow/run/progressOf.ts';
import type { RunState } from '../api.ts';

/** The parts of a run's state from which `runState` derives the others. */
interface KnownOfRun extends Omit<RunState, 'outcome' | 'ending' | 'steps' | 'left'> {
  /** Pages that came before this process resumed the run, and when it did. */
  readonly before?: { readonly pages: number; readonly at: number } | undefined;
  readonly summary?: FlowSummary | undefined;
  /** Why it stopped. */
  readonly because?: string | undefined;
}

/** The state of a run for the page: adds how it ended, the next steps, and the work that is left. */
export function runState({ before, summary, because, ...known }: KnownOfRun): RunState {
  const { command, flow, phase, folder, startedAt, endedAt, breaksMs, requests, stages, files, drift, accounts, update, notes } = known;
  const outcome = stages.length === 0 ? undefined : outcomeOf(stages);
  const told: FlowSummary = summary ?? {
    type: 'summary',
    name: flow,
    digest: '',
    outDir: folder,
    outcome: outcome ?? (phase === 'done' ? 'complete' : 'interrupted'),
    already: false,
    startedAt,
    endedAt: endedAt - breaksMs,
    requests,
    retries: 0,
    throttled: 0,
    stages,
    drift,
    accounts,
    files,
    ...(update ? { update: true } : {}),
    ...(because === undefined ? {} : { because }),
  };
  // a note with a command replaces the next steps
  const isNoted = notes.some((note) => note.command !== undefined);
  return {
    ...known,
    outcome,
    ending: phase === 'running' || phase === 'lost' ? unfinished(known) : endingOf(told),
    steps: nextSteps({ ...told, outcome: isNoted ? 'complete' : told.outcome }, command, phase === 'running'),
    left: phase === 'done' ? undefined : workLeft(known, before),
  };
}

function unfinished({ phase, startedAt, endedAt, breaksMs, requests, holder }: Omit<KnownOfRun, 'command'>): string {
  const counts = countOf(requests, 'request');
  const ran = formatDuration(endedAt - startedAt - breaksMs);
  if (phase === 'running') {
    const by = holder === undefined ? '' : ` in process ${holder.pid} on ${holder.host}`;
    return `running for ${ran}${by}; ${counts}`;
  }
  return `lost: its process is gone, after it ran for ${ran}; ${counts}. Nothing that was committed is lost`;
}

function workLeft({ stages, startedAt, endedAt, breaksMs }: Omit<KnownOfRun, 'command'>, before: KnownOfRun['before']): RunState['left'] {
  if (stages.length === 0) return undefined;
  const pages = expectPages(stages);
  const requests = Math.ceil(pages.reduce((sum, { found, expected }) => sum + found + expected, 0));
  const left = timeLeft(pages, before?.pages ?? 0, endedAt - (before?.at ?? startedAt) - breaksMs);
  return { requests, ms: left?.ms, atLeast: pages.some(({ more }) => more) };
}
