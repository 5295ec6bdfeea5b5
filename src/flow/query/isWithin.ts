/** Whether a number keeps to bounds that a flow gives. */
export function isWithin(value: number, bounds: { readonly '>='?: number | undefined; readonly '<='?: number | undefined }): boolean {
  return value >= (bounds['>='] ?? -Infinity) && value <= (bounds['<='] ?? Infinity);
}
