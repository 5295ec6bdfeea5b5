/** `12,345`, and below 10 one decimal: `2.5`. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 1 : 0 });
}
