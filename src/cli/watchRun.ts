import type { Observable } from 'rxjs';
import { onAbort } from '../../operators/kit/onAbort.ts';
import type { FlowProgress, FlowSummary } from '../flow/index.ts';
import type { Io, Output } from './Command.ts';
import { renderLine, renderLive } from './renderLive.ts';
import { RunRecorder } from '../flow/report/index.ts';
import { sayFlags } from './describeError.ts';
import { escapeForTerminal, printedJson } from './text/escapeForTerminal.ts';
import { isScreen, paintFor } from './text/paintFor.ts';
import { wrapLines, textWidth } from './text/textWidth.ts';

export interface WatchRunOptions {
  /** `'auto'`: a live view on a terminal, otherwise a line from time to time. */
  readonly show: 'auto' | 'json' | 'quiet';
  readonly maxRequests: number | undefined;
  readonly io: Io;
  /** What the run waits for, printed on SIGUSR1. @default nothing */
  readonly explain?: () => string;
  /** Time between two frames. @default 100 */
  readonly frameMs?: number;
  /** Time between two lines. @default 10000 */
  readonly lineMs?: number;
  /** Time between two progress records. @default 1000 */
  readonly jsonMs?: number;
}

/** Runs a flow, shows its progress, and returns its summary. */
export async function watchRun(progress$: Observable<FlowProgress>, options: WatchRunOptions): Promise<FlowSummary> {
  const { show, maxRequests, io, frameMs = 100, lineMs = 10_000, jsonMs = 1000 } = options;
  const recorder = new RunRecorder(maxRequests);
  const paint = paintFor(io.stderr, io.env);
  const live = show === 'auto' && isScreen(io.stderr, io.env) ? new LiveScreen(io.stderr) : undefined;
  const say = (text: string): void => {
    if (live !== undefined) live.above(text);
    else if (show === 'auto') io.stderr.write(`${text}\n`);
  };

  let drawn = '';
  const draw = (): void => {
    const view = recorder.view(Date.now());
    if (view === undefined || live === undefined) return;
    const lines = renderLive(view, io.stderr.columns || 80, io.stderr.rows || 24, paint);
    if (lines.join('\n') === drawn) return;
    drawn = lines.join('\n');
    live.draw(lines);
  };
  const line = (): void => {
    const view = recorder.view(Date.now());
    if (view !== undefined) io.stderr.write(`${renderLine(view)}\n`);
  };
  const timer = live !== undefined ? setInterval(draw, frameMs) : show === 'auto' ? setInterval(line, lineMs) : undefined;

  const stop = (): void => {
    recorder.stop();
    if (live === undefined) say('Stopping: the rows that arrived are being written. The same signal again exits at once.');
  };
  const forget = onAbort(io.signal, stop);
  const explain = (): void => {
    const text = options.explain?.() ?? '';
    if (live === undefined) io.stderr.write(`${text}\n`);
    else live.above(text);
  };
  process.on('SIGUSR1', explain);

  let jsonAt = -Infinity;
  const tell = (progress: FlowProgress): void => {
    const isNewKind = recorder.progress(progress);
    if (progress.type === 'notice') say(wrapLines(escapeForTerminal(sayFlags(progress.message)), io.stderr));
    // A terminal shows a count of each kind, a log the first failure of each kind.
    if (progress.type === 'failure' && isNewKind && live === undefined) {
      say(wrapLines(escapeForTerminal(sayFlags(`${progress.stage}: ${progress.error.message}`)), io.stderr));
    }
    if (show !== 'json' || progress.type === 'commit') return;
    if (progress.type === 'progress' && progress.at - jsonAt < jsonMs) return;
    if (progress.type === 'progress') jsonAt = progress.at;
    io.stdout.write(printedJson(progress));
  };
  try {
    return await new Promise<FlowSummary>((resolve, reject) => {
      let summary: FlowSummary | undefined;
      progress$.subscribe({
        next(progress) {
          tell(progress);
          if (progress.type === 'summary') summary = progress;
        },
        error: reject,
        complete: () => (summary === undefined ? reject(new Error('The run ended without a summary.')) : resolve(summary)),
      });
    });
  } finally {
    clearInterval(timer);
    forget();
    process.off('SIGUSR1', explain);
    draw();
    live?.close();
  }
}

const begin = '\u001b[?2026h'; // terminals that know this code show nothing until `end`, others ignore it
const end = '\u001b[?2026l';
const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const clearLine = '\u001b[K';
const clearBelow = '\u001b[J';

/**
 * A few lines at the bottom of a terminal, redrawn in place. Each frame is one write without clearing first, so nothing
 * flickers. Text written `above` them scrolls away as usual.
 */
export class LiveScreen {
  readonly #output: Output;
  #lines: readonly string[] = [];
  #columns: number;
  readonly #restore = (): void => {
    this.#output.write(showCursor);
  };

  constructor(output: Output) {
    this.#output = output;
    this.#columns = output.columns || 80; // a terminal of no size, as some containers have
    process.once('exit', this.#restore); // whatever ends the process
    output.write(hideCursor);
  }

  draw(lines: readonly string[]): void {
    this.#write([], lines);
  }

  above(text: string): void {
    this.#write(text.split('\n'), this.#lines);
  }

  /** Leaves the last frame on the screen. */
  close(): void {
    process.off('exit', this.#restore);
    this.#restore();
  }

  #write(above: readonly string[], lines: readonly string[]): void {
    const columns = this.#output.columns || 80;
    const resized = columns !== this.#columns; // some terminals remember which lines they wrapped until those are cleared
    const text = [...above, ...lines].map((line) => `${line}${clearLine}\n`).join('');
    this.#output.write(`${begin}${this.#home(columns)}${resized ? clearBelow : ''}${text}${clearBelow}${end}`);
    this.#lines = lines;
    this.#columns = columns;
  }

  /** Moves to the first line. If the window has become narrower, some lines are wrapped. */
  #home(columns: number): string {
    const up = this.#lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
    return up === 0 ? '\r' : `\u001b[${up}A\r`;
  }
}
