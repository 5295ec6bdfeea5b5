import { hrefOf, address, views, type ViewName } from './address.ts';
import { showChanges } from './changesView.ts';
import { showData } from './dataView.ts';
import { h, setText } from './dom.ts';
import { showNow } from './nowView.ts';
import { showRuns } from './runsView.ts';

/** Fills the element with a view. Returns a function that ends the view. */
type ShowView = (element: HTMLElement) => (() => void) | undefined;

const shows: { readonly [view in ViewName]: ShowView } = { now: showNow, data: showData, changes: showChanges, runs: showRuns };

const links = Object.entries(views).map(([view, name]) => ({ view, link: h('a', { href: `#${view}` }, name) }));
const main = h('main', { id: 'main', tabindex: -1 });
const run = h('span', { class: 'mute run' });
document.body.append(
  h(
    'header',
    {},
    h('a', { class: 'skip', href: '#', click: skip }, 'Skip to the content'),
    h('strong', {}, 'trawler'),
    h('nav', { 'aria-label': 'Views' }, ...links.map(({ link }) => link)),
    run,
  ),
  main,
);

let end: (() => void) | undefined;
let shown: string | undefined;

function show(): void {
  const { view, params } = address();
  for (const one of links) {
    one.link.href = hrefOf(one.view as ViewName);
    if (one.view === view) one.link.setAttribute('aria-current', 'page');
    else one.link.removeAttribute('aria-current');
  }
  setText(run, params.get('run') ?? '');
  document.title = `${views[view as ViewName]} – trawler`;
  // a view isn't made again when only its parameters change, so that typing isn't interrupted
  const key = `${view} ${params.get('run') ?? ''}`;
  if (key === shown) return;
  shown = key;
  end?.();
  main.replaceChildren();
  end = shows[view as ViewName](main);
}

function skip(event: Event): void {
  event.preventDefault();
  main.focus();
}

addEventListener('hashchange', show);
show();
