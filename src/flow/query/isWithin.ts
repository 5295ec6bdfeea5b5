/** Whether a number is within the bounds of a flow. */
export function isWithin(value: number, bounds: { readonly '>='?: number | undefined; readonly '<='?: number | undefined }): boolean {
  return value >= (bounds['>='] ?? -Infinity) && value <= (bounds['<='] ?? Infinity);
}
