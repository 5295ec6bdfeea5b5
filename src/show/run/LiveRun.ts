import { onAbort } from '../../../operators/kit/onAbort.ts';
import { countOf, RunRecorder } from '../../flow/report/index.ts';
import { type FlowClient, type FlowClients, joinClients } from '../../flow/run/FlowClient.ts';
import type { FlowProgress } from '../../flow/run/FlowProgress.ts';
import type { Button, ButtonName, RunState } from '../api.ts';
import { runState } from './runState.ts';

interface LiveRunOptions {
  readonly flow: string;
  readonly folder: string;
  /** One for each service. */
  readonly clients: readonly FlowClient[];
  readonly maxRequests: number | undefined;
  /** The command that runs the flow again. */
  readonly command: string;
}

/** The run of this process. Its state comes from the run's progress, and the page's buttons pause and resume it. */
export class LiveRun {
  readonly folder: string;
  readonly #options: LiveRunOptions;
  readonly #client: FlowClients;
  readonly #events: { readonly unsubscribe: () => void };
  readonly #recorder: RunRecorder;
  #stop = new AbortController();
  #clicked: ((name: ButtonName | undefined) => void) | undefined;

  constructor(options: LiveRunOptions) {
    this.#options = options;
    this.#client = joinClients(options.clients);
    this.folder = options.folder;
    this.#recorder = new RunRecorder(options.maxRequests);
    this.#events = this.#client.events$.subscribe((event) => this.#recorder.event(event));
  }

  /** Aborted by a click on Pause. A new one for each run. */
  get paused(): AbortSignal {
    return this.#stop.signal;
  }

  /** Gets each event of the run's progress. */
  take(progress: FlowProgress): void {
    this.#recorder.progress(progress);
  }

  /** After a run: waits for a click on a button, and resolves to its name. undefined if `signal` is aborted. */
  async next(signal: AbortSignal): Promise<ButtonName | undefined> {
    if (signal.aborted) return undefined;
    this.#stop = new AbortController();
    return new Promise((resolve) => {
      const done = (name: ButtonName | undefined): void => {
        this.#clicked = undefined;
        forget();
        resolve(name);
      };
      const forget = onAbort(signal, () => done(undefined));
      this.#clicked = done;
    });
  }

  /** Does what a button says. Throws a RangeError if it can't be clicked now. */
  click(name: string): void {
    const button = this.#buttons().find((one) => one.name === name);
    if (button?.enabled !== true) throw new RangeError(`${button?.label ?? name} can't be clicked now. ${button?.says ?? ''}`);
    if (button.name === 'pause') this.#stop.abort('paused');
    else this.#clicked!(button.name);
  }

  close(): void {
    this.#events.unsubscribe();
  }

  state(id: string): RunState {
    const { folder, flow, command, maxRequests } = this.#options;
    const client = this.#client;
    const at = Date.now();
    const { summary, stages, meanMs } = this.#recorder;
    const view = this.#recorder.view(at);
    const { startedAt = at, requests = 0, failedAttempts = [] } = view ?? {};
    const stats = { ...client.stats(), requests, failedAttempts };
    return runState({
      id,
      folder,
      flow,
      phase: summary === undefined ? 'running' : summary.outcome === 'interrupted' ? 'stopped' : 'done',
      holder: undefined,
      update: summary?.update === true,
      startedAt,
      endedAt: summary?.endedAt ?? at,
      breaksMs: 0,
      requests,
      stages,
      files: summary?.files ?? [],
      failures: view?.failures ?? [],
      drift: client.drift(),
      live: { stats, waits: client.explain(), perSecond: view?.requestsPerSecond ?? 0, meanMs, maxRequests },
      buttons: this.#buttons(),
      notes: [],
      command,
      before: view?.before,
      summary,
    });
  }

  /** The buttons that have something to do. Each says what it costs, or why it can't be clicked. */
  #buttons(): readonly Button[] {
    const ended = this.#clicked !== undefined;
    const { stages } = this.#recorder;
    const failed = stages.reduce((sum, stage) => sum + stage.failed, 0);
    const waiting = stages.reduce((sum, stage) => sum + stage.waiting, 0);
    const { inFlight } = this.#client.stats();
    const requests = (count: number): string => countOf(count, 'request');
    const isOver = ended && waiting === 0 && !stages.some(({ more }) => more);
    const pause: Button = {
      name: 'pause',
      label: 'Pause',
      says:
        inFlight === 0
          ? 'No request is in flight, so nothing is lost.'
          : `It ends ${requests(inFlight)} in flight. Resuming sends ${inFlight === 1 ? 'it' : 'them'} again. Nothing else is lost.`,
      requests: inFlight,
      enabled: !this.#stop.signal.aborted && stages.length > 0,
    };
    const resume: Button = {
      name: 'resume',
      label: 'Resume',
      says: `It costs at least ${requests(waiting)}: one for each query that waits.`,
      requests: waiting,
      enabled: true,
    };
    const retry: Button = {
      name: 'failures',
      label: 'Retry failures',
      says:
        `It costs at least ${requests(failed)}: one for each query that ` +
        `failed${ended ? '' : '. You can retry them when the run has ended'}.`,
      requests: failed,
      enabled: ended,
    };
    return [...(!ended ? [pause] : isOver ? [] : [resume]), ...(failed === 0 ? [] : [retry])];
  }
}
