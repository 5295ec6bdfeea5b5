import { countOf, formatDuration, endingOf, nextSteps } from '../../flow/report/index.ts';
import type { FlowSummary } from '../../flow/run/FlowProgress.ts';
import { outcomeOf } from '../../flow/run/progressOf.ts';
import type { RunState } from '../api.ts';

/** The parts of a run's state from which `runState` derives the others. */
interface KnownOfRun extends Omit<RunState, 'outcome' | 'ending' | 'steps'> {
  readonly summary?: FlowSummary | undefined;
  /** Why it stopped. */
  readonly because?: string | undefined;
}

/** The state of a run for the page: adds how it ended, and the next steps. */
export function runState({ summary, because, ...known }: KnownOfRun): RunState {
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
