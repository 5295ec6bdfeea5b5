interface Visit {
  readonly name: string;
  readonly parents: readonly string[];
  /** Which parent comes next. */
  next: number;
  depth: number;
}

/** The longest path from a root to each name, and the first circle of names, if any. A link that closes a circle is ignored. */
export function depthsOf(
  names: Iterable<string>,
  parentsOf: (name: string) => readonly string[],
): { readonly depths: ReadonlyMap<string, number>; readonly circle: readonly string[] | undefined } {
  const depths = new Map<string, number>();
  let circle: readonly string[] | undefined;
  // A list instead of recursion, because a chain of stages may be longer than the stack is deep.
  const path: Visit[] = [];
  const onPath = new Set<string>();
  const enter = (name: string): void => {
    onPath.add(name);
    path.push({ name, parents: parentsOf(name), next: 0, depth: 0 });
  };
  for (const root of names) {
    if (!depths.has(root)) enter(root);
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const parent = visit.parents[visit.next++];
      if (parent === undefined) {
        depths.set(visit.name, visit.depth);
        onPath.delete(visit.name);
        path.pop();
      } else if (depths.has(parent)) visit.depth = Math.max(visit.depth, depths.get(parent)! + 1);
      else if (onPath.has(parent))
        circle ??= [...path.slice(path.findIndex(({ name }) => name === parent)).map(({ name }) => name), parent];
      else {
        visit.next -= 1; // looked at again once its own depth is known
        enter(parent);
      }
    }
  }
  return { depths, circle };
}
