/** The least and the greatest of some numbers. They may be more than a call takes arguments. */
export function rangeOf<T>(values: Iterable<T>, at: (value: T) => number): readonly [least: number, greatest: number] {
  let [least, greatest] = [Infinity, -Infinity];
  for (const value of values) {
    const number = at(value);
    if (number < least) least = number;
    if (number > greatest) greatest = number;
  }
  return [least, greatest];
}
