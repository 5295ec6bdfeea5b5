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
