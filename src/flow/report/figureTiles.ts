/** Large figures with their names, as HTML. */
export function figureTiles(pairs: readonly (readonly [string, string])[]): string {
  return `<dl class="tiles">${pairs.map(([term, value]) => `<div><dt>${term}</dt><dd>${value}</dd></div>`).join('')}</dl>`;
}
