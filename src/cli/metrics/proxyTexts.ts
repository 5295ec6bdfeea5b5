import type { Proxy, ProxyStats } from '../../proxy/index.ts';
import { renderMetrics } from './RunMetrics.ts';

const counters = {
  received: 'Requests of callers.',
  requests: 'Requests sent to the service.',
  hits: 'Responses from the store.',
  retries: 'Requests tried again.',
  throttled: 'Refusals of the service.',
  refused: 'Refusals of the proxy.',
  cost: 'What requests have cost.',
} as const satisfies { readonly [figure in keyof ProxyStats]?: string };
const gauges = { inFlight: 'Requests on their way.', waiting: 'Requests that wait.' } as const;
const figures = Object.entries({ ...counters, ...gauges }) as [keyof typeof counters | keyof typeof gauges, string][];

/** The figures of a proxy, by path: a page, and metrics. They hold no address and no key. */
export function proxyTexts({ stats, url }: Pick<Proxy, 'url'> & { readonly stats: () => ProxyStats }): {
  readonly [path: string]: () => string;
} {
  return { '/': () => pageOf(url, stats()), '/metrics': () => metricsOf(stats()) };
}

function metricsOf(stats: ProxyStats): string {
  return renderMetrics(
    figures.map(([figure, help]) => {
      const name = `proxy_${figure.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
      return { name, type: figure in gauges ? 'gauge' : 'counter', help, samples: [[{}, stats[figure]]] };
    }),
  );
}

function pageOf(url: string, { rate, callers, ...stats }: ProxyStats): string {
  const escaped = (text: unknown): string => String(text).replaceAll(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
  const row = (cells: readonly unknown[], cell = 'td'): string =>
    `<tr>${cells.map((text) => `<${cell}>${escaped(text)}</${cell}>`).join('')}</tr>`;
  const counts = figures.map(([figure, help]) => row([help, stats[figure]]));
  const each = [...callers].map(([name, of]) => row([name || 'no name', of.requests, of.hits, of.cost]));
  const pace = rate === undefined || !Number.isFinite(rate) ? 'not known yet' : `${rate.toFixed(1)} a second`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>trawler proxy</title>
<style>:root{color-scheme:light dark}body{font:14px/1.5 system-ui,sans-serif;max-width:720px;margin:24px auto}
td,th{text-align:left;padding:4px 24px 4px 0}</style>
<h1>trawler proxy</h1><p>${url}</p><table>${row(['Rate that the service takes.', pace])}${counts.join('')}</table>
<table>${row(['Caller', 'Requests', 'From the store', 'Cost'], 'th')}${each.join('')}</table></html>
`;
}
