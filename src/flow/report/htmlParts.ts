import { escapeHtml } from './format.ts';

/** A table that can be scrolled sideways, also with the keyboard. `kind`: a class of its own. */
export function scrolled(table: string, label: string, kind: string = ''): string {
  return `<div class="${`scroll ${kind}`.trim()}" tabindex="0" role="group" aria-label="${escapeHtml(label)}">${table}</div>`;
}

/** What to do or to know, a line each, with the command for it. '' if there is nothing. */
export function stepList(steps: readonly { readonly text: string; readonly command?: string | undefined }[]): string {
  const items = steps.map(({ text, command }) => {
    const copied = command === undefined ? '' : `<code class="command">${escapeHtml(command)}</code>`;
    return `<li>${escapeHtml(text)}${copied}</li>`;
  });
  return items.length === 0 ? '' : `<ul class="steps">${items.join('')}</ul>`;
}

/** Figures with their names, as HTML. They stand in as many columns as leave the fewest places empty. */
export function figureTiles(pairs: readonly (readonly [string, string])[]): string {
  const by = [4, 5, 3].toSorted((one, other) => ((one - (pairs.length % one)) % one) - ((other - (pairs.length % other)) % other))[0];
  return `<dl class="tiles by${by}">${pairs.map(([term, value]) => `<div><dt>${term}</dt><dd>${value}</dd></div>`).join('')}</dl>`;
}
