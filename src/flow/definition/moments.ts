import { meansTime, timeFault, timeText, writtenTime } from '../../contract/index.ts';

/** What `${now}` and `${today}` stand for. */
export interface FlowClock {
  /** When the run began, in milliseconds since 1970. undefined: they stay as they are. */
  readonly now: number | undefined;
  /** The time zone that days are of. */
  readonly zone: string;
}

const names = ['now', 'today'] as const;

/** Whether a value contains `${now}` or `${today}`. */
export function isTimed(input: unknown): boolean {
  return /(?<!\$)\$\{(now|today)\b/.test(JSON.stringify(input) ?? '');
}

/** Whether a name between braces is meant as a moment. */
export function meansMoment(inside: string): boolean {
  return meansTime(inside, names);
}

/** The text that `${now-7d}` stands for. An object: what is wrong with it. */
export function momentText(inside: string, { now, zone }: FlowClock): string | { readonly message: string } {
  const message = timeFault(inside, names);
  if (message !== undefined) return { message };
  return now === undefined ? `\${${inside}}` : String(writtenTime(timeText(inside)!, undefined, { now, zone }));
}
