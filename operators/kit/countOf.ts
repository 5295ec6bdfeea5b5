/** `12,345`, and below 10 one decimal: `2.5`. */
export function formatCount(value: number): string {
  // Not toLocaleString: it makes a formatter for each call, and a report has hundreds of numbers.
  return value < 10 ? String(Math.round(value * 10) / 10) : String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 row`, `2,000 rows`. */
export function countOf(value: number, one: string, many: string = `${one}s`): string {
  return `${formatCount(value)} ${value === 1 ? one : many}`;
}
