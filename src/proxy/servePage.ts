import { createServer } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';
import { addressOf, type Proxy, type ProxyStats } from './startProxy.ts';

/** A page with the figures of a proxy, and the same as metrics. */
export interface ProxyPage extends AsyncDisposable {
  readonly url: string;
}

/** Serves the figures of a proxy: `/` is a page, `/metrics` is for Prometheus, `/live` says that it runs. They hold no address and no key. */
export async function servePage(proxy: Pick<Proxy, 'stats' | 'url'>, { host = '127.0.0.1', port = 0 } = {}): Promise<ProxyPage> {
  const server = createServer(({ url, headers }, response) => {
    const name = (headers.host ?? '').replace(/:\d*$/, '').toLowerCase();
    const isOwn = ['localhost', host].includes(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
    const send = (status: number, type: string, body: string): void =>
      void response.writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'" }).end(body); // prettier-ignore
    if (!isOwn) send(403, 'text/plain', 'This page is served under its own address only.\n');
    else if (url === '/metrics') send(200, 'text/plain; version=0.0.4', renderMetrics(proxy.stats()));
    else if (url === '/live') send(200, 'text/plain', 'live\n');
    else if (url === '/') send(200, 'text/html', renderPage(proxy.url, proxy.stats()));
    else send(404, 'text/plain', 'There are /, /metrics and /live.\n');
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  server.unref();
  const taken = (server.address() as AddressInfo).port;
  return {
    url: addressOf(host, taken),
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const figures = ['received', 'requests', 'hits', 'retries', 'throttled', 'refused', 'inFlight', 'waiting', 'cost'] as const;
const labels: { readonly [name in (typeof figures)[number]]: string } = {
  received: 'requests of callers',
  requests: 'requests sent to the service',
  hits: 'responses from the store',
  retries: 'requests tried again',
  throttled: 'refusals of the service',
  refused: 'refusals of the proxy',
  inFlight: 'requests in flight',
  waiting: 'requests that wait',
  cost: 'cost',
};

function renderMetrics(stats: ProxyStats): string {
  const lines = figures.flatMap((name) => {
    const metric = `trawler_proxy_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
    const isGauge = name === 'inFlight' || name === 'waiting';
    return [`# HELP ${metric} ${labels[name]}`, `# TYPE ${metric} ${isGauge ? 'gauge' : 'counter'}`, `${metric} ${stats[name]}`];
  });
  return `${lines.join('\n')}\n`;
}

function renderPage(url: string, stats: ProxyStats): string {
  const rate = stats.rate === undefined || !Number.isFinite(stats.rate) ? 'not known yet' : `${stats.rate.toFixed(1)} a second`;
  const rows = [['the rate', rate], ...figures.map((name) => [labels[name], String(stats[name])])];
  const callers = [...stats.callers].map(([name, { requests, hits, cost }]) => [name || '(no name)', requests, hits, cost]);
  const table = (head: readonly string[], body: readonly (readonly unknown[])[]): string =>
    `<table><tr>${head.map((text) => `<th scope="col">${text}</th>`).join('')}</tr>${body.map((row) => `<tr>${row.map((cell) => `<td>${escaped(String(cell))}</td>`).join('')}</tr>`).join('')}</table>`; // prettier-ignore
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>trawler proxy</title>
<style>:root{color-scheme:light dark}body{font:14px/1.5 system-ui,sans-serif;max-width:720px;margin:24px auto;padding:0 16px}th,td{text-align:left;padding:4px 24px 4px 0}td+td{font-variant-numeric:tabular-nums}</style>
<h1>trawler proxy</h1><p>${escaped(url)}</p>${table(['what', 'now'], rows)}<h2>By caller</h2>${table(['caller', 'requests', 'from the store', 'cost'], callers)}</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
