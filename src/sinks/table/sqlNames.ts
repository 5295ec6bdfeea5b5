/** Names that differ in more than capitals, as databases want them. */
export function uniqueNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const plain = name.replaceAll(/[\0\p{Surrogate}]/gu, '\uFFFD') || '_';
    let unique = plain;
    for (let count = 2; taken.has(unique.toLowerCase()); count += 1) unique = `${plain}_${count}`;
    taken.add(unique.toLowerCase());
    return unique;
  });
}

export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
