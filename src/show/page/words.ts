import { clockText } from '../../../operators/kit/days.ts';
import { outcomes, type Outcome } from '../../flow/run/outcomes.ts';
import type { RunPhase } from '../api.ts';
import { h } from './dom.ts';
import { messageOf } from '../../errors/TrawlerError.ts';

/** The name of the command, as the user has typed it. */
export const program = document.querySelector<HTMLMetaElement>('meta[name=program]')?.content ?? 'trawler';

/** Writes times such as `2026-05-01 09:30 UTC`, with seconds or milliseconds if needed to tell two of them apart. */
export function times(all: readonly number[]): (at: number) => string {
  const apart = new Set(all).size;
  const length = [16, 19].find((one) => new Set(all.map((at) => clockText(at, one))).size === apart) ?? 23;
  return (at) => `${clockText(at, length)} UTC`;
}

const phaseMoods = { running: 'now', stopped: 'warn', lost: 'bad', damaged: 'bad' } as const;

/** The CSS class for the state of a run. It is green only if the run is complete. */
export function moodOf(phase: RunPhase, outcome: Outcome = 'complete'): string {
  return phase === 'done' ? outcomes[outcome].mood : phaseMoods[phase];
}

/** The text to show while the server reads a file. */
export function readText(read: number): string {
  return `${Math.floor(read * 100)} % of the file read so far. It is read once.`;
}

export function showError(element: Element, error: unknown): void {
  element.append(h('p', { class: 'empty bad', role: 'alert' }, messageOf(error)));
}
