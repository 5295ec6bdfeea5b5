import { depthsOf } from '../definition/depthsOf.ts';

/** A box of the drawing: a stage with its figures, or a seed file. */
export interface FlowBox {
  readonly name: string;
  /** The operation. undefined for a seed file. */
  readonly call?: string | undefined;
  /** The boxes whose rows it runs over. A name without a box is drawn as a seed file. */
  readonly each: readonly string[];
  /** The lines of text inside it. */
  readonly lines: readonly string[];
  readonly mood?: 'good' | 'warn' | 'bad' | undefined;
}

/** Arranges the boxes in columns. Each is to the right of its inputs, and as close to their height as possible. */
export function layFlow(boxes: readonly FlowBox[]): readonly (readonly FlowBox[])[] {
  const all = new Map(boxes.map((box) => [box.name, box]));
  for (const seed of boxes.flatMap((box) => box.each)) {
    if (!all.has(seed)) all.set(seed, { name: seed, each: [], lines: ['seeds'] });
  }
  const { depths } = depthsOf(all.keys(), (name) => all.get(name)!.each);
  const columns: FlowBox[][] = [];
  for (const box of all.values()) (columns[depths.get(box.name)!] ??= []).push(box);

  const heights = new Map<string, number>();
  for (const column of columns) {
    const wish = new Map(column.map((box, index) => [box, mean(box.each.map((name) => heights.get(name))) ?? index]));
    column.sort((one, other) => (wish.get(one) as number) - (wish.get(other) as number));
    for (const [index, box] of column.entries()) heights.set(box.name, index);
  }
  return columns;
}

function mean(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
}
