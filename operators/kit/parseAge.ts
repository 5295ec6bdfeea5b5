const units: { readonly [unit: string]: number } = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A duration such as `90s`, `30m`, `12h`, `7d` or `2w` in milliseconds. undefined for anything else. */
export function parseAge(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(text);
  return match === null ? undefined : Number(match[1]) * units[match[2]!]!;
}
