export const dayMs = 86_400_000;

const form = /^(\d{4})-(\d\d)-(\d\d)$/;

/** Days since 1970 of a day that exists, such as `2020-01-31`. undefined: the text is none. */
export function daysOf(text: string): number | undefined {
  const [, year, month, day] = form.exec(text) ?? [];
  if (year === undefined) return undefined;
  const at = new Date(0);
  at.setUTCFullYear(Number(year), Number(month) - 1, Number(day)); // 30 February becomes 2 March
  return at.getUTCMonth() === Number(month) - 1 && at.getUTCDate() === Number(day) ? at.getTime() / dayMs : undefined;
}

/** Whether a text is a day that exists. */
export function isDay(value: unknown): value is string {
  return typeof value === 'string' && daysOf(value) !== undefined;
}

/** The day of a time, in UTC. */
export function dayText(at: number): string {
  return clockText(at, 10);
}

/** A time as people read it, in UTC: `2026-05-01 09:30:00`, or the first characters of that. */
export function clockText(at: number, length: number = 19): string {
  return new Date(at).toISOString().slice(0, length).replace('T', ' ');
}

/** A day as `20200131`. */
export function compactDay(day: string): string {
  return day.replaceAll('-', '');
}

const units: { readonly [unit: string]: number } = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A duration such as `90s`, `30m`, `12h`, `7d` or `2w` in milliseconds. undefined for anything else. */
export function parseAge(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(text);
  return match === null ? undefined : Number(match[1]) * units[match[2]!]!;
}
