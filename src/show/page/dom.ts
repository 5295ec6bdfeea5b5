export type Child = Node | string | undefined | false | readonly Child[];

interface Props {
  readonly [name: string]: string | number | boolean | undefined | ((event: Event) => void);
}

/** Makes an element. A function is a listener, `true` an attribute without a value, `undefined` and `false` none. Text stays text. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  props: Props = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  append(element, children);
  return element;
}

function append(element: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === undefined || child === false) continue;
    if (typeof child === 'string' || child instanceof Node) element.append(child);
    else append(element, child);
  }
}

/** A table that can be scrolled sideways, also with the keyboard. Columns from index `figures` on have figures. */
export function scrollTable(label: string, heads: readonly string[], figures: number, rows: readonly HTMLElement[]): HTMLElement {
  const head = heads.map((name, at) => h('th', { scope: 'col', class: at >= figures ? 'n' : undefined }, name));
  const table = h('table', {}, h('thead', {}, h('tr', {}, ...head)), h('tbody', {}, ...rows));
  return h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': label }, table);
}

/**
 * An element for HTML that the report's functions have made, which escape all data. It is replaced only when it changes, so nothing
 * flickers and readers don't lose their position.
 */
export function drawn(tag: 'div' | 'section', props: Props = {}): { readonly element: HTMLElement; readonly draw: (html: string) => void } {
  const element = h(tag, props);
  let last: string | undefined;
  return {
    element,
    draw(html) {
      if (html === last) return;
      last = html;
      const open = Array.from(element.querySelectorAll('details'), (one) => one.open);
      element.innerHTML = html;
      element.querySelectorAll('details').forEach((one, index) => (one.open = open[index] === true));
    },
  };
}

/** Changes the text of an element only if it differs, so a screen reader doesn't repeat it. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
