const units = ['kB', 'MB', 'GB', 'TB'];

/** `512 B`, `1.2 kB`, `34 MB`; in steps of 1,000. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 'B';
  for (const next of units) {
    if (value < 999.5) break;
    value /= 1000;
    unit = next;
  }
  return `${value < 9.95 && unit !== 'B' ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
