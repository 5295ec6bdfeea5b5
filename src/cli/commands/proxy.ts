import { countOf } from '../../../operators/kit/countOf.ts';
import { whole } from '../../../operators/options/index.ts';
import { onAbort } from '../../../operators/kit/onAbort.ts';
import type { Proxy, ProxyStats } from '../../proxy/index.ts';
import { type Command, ExitCode, UsageError, writeOut, portTaken } from '../Command.ts';
import { namedService } from '../chooseService.ts';
import { serveTexts, renderMetrics } from '../serveMetrics.ts';
import { clientFlags, openAccess } from '../openClient.ts';
import { ageOption, storeOptions } from '../openStoreFor.ts';
import { parseOptions } from '../parseOptions.ts';

const options = {
  ...clientFlags,
  ...storeOptions,
  port: { type: 'string', number: whole({ from: 0, to: 65_535 }).or(4780), value: 'N', about: 'port to listen on; 0 is a free one' },
  host: { type: 'string', value: 'HOST', about: 'listen on another address than 127.0.0.1: whoever reaches it spends your key' },
  'allow-key': { type: 'boolean', about: 'callers may send a key of their own' },
  wait: { type: 'string', value: 'AGE', about: 'how long a request waits for the limits, such as 30s, before it is refused (60s)' },
  ledger: { type: 'string', value: 'PATH', about: 'book requests and keep to its limits: a file, or a PostgreSQL (TRAWLER_LEDGER)' },
  show: { type: 'boolean', about: 'serve a page with its figures' },
  metrics: { type: 'string', value: 'HOST:PORT', about: 'serve the page and /metrics for Prometheus there' },
} as const;

const minuteMs = 60_000;

export const proxy: Command = {
  name: 'proxy',
  overview: [11, 'stand in front of a service, for programs in any language'],
  usage: '[ADDRESS] [options]',
  about:
    'Starts an HTTP server on this machine that passes requests on to a service, with your key, at the pace that the service takes. ' +
    'Retries, limits, a store and a budget hold for all programs that use it. Point them at the address that it prints. It runs ' +
    'until Ctrl-C.',
  options,
  examples: [
    ['trawler proxy https://api.example.com', 'any service; TRAWLER_API_KEY is sent as a bearer token'],
    ['trawler proxy --service serper --max-requests 5000', 'a vendor: SERPER_API_KEY is sent where it belongs'],
    ['trawler proxy --service shop.mjs --store responses --max-age 7d', 'your own service; each request is paid once a week'],
    ['trawler proxy --replay responses', 'for tests: responses from the store only'],
    ['trawler proxy --sandbox', 'try it without a key'],
  ],
  async run(argv, io) {
    const { values, positionals } = parseOptions(argv, options, 'trawler proxy');
    const [given, more] = positionals;
    if (more !== undefined) throw new UsageError('trawler proxy takes one address.');
    const service =
      (await namedService(values.service)) ?? (values.sandbox === true ? (await import('../../search/index.ts')).searchService : undefined);
    const waitMs = ageOption('wait', values.wait);
    const page = values.metrics ?? (values.show === true ? '127.0.0.1:0' : undefined);
    const { options: of, close } = await openAccess(given === undefined ? values : { ...values, 'base-url': given }, service, io);
    let started: Proxy | undefined;
    let shown: Awaited<ReturnType<typeof serveTexts>> | undefined;
    try {
      const { startProxy } = await import('../../proxy/index.ts');
      const { port, host, 'allow-key': allowKey } = values;
      const onNotice = (sentence: string): void => void io.stderr.write(`${sentence}\n`);
      started = await startProxy({ ...of, service, port, host, allowKey, waitMs, onNotice }).catch(portTaken);
      shown = page === undefined ? undefined : await serveTexts(page, proxyTexts({ url: started.url, stats: () => started!.stats() }));
      await writeOut(io.stdout, `${started.url}\n`);
      if (values.host !== undefined)
        io.stderr.write(`Whoever reaches ${values.host} can send requests with your key, and read the responses.\n`);
      if (shown !== undefined) io.stderr.write(`Its figures: ${shown.url}\n`);
      io.stderr.write(`The proxy listens on ${started.url}. Use it in place of the address of the service. Stop it with Ctrl-C.\n`);
      let last = lineOf(started);
      const tell = setInterval(() => {
        const now = lineOf(started!);
        if (now !== last) io.stderr.write(`${(last = now)}\n`);
      }, minuteMs);
      await new Promise<void>((resolve) => void onAbort(io.signal, resolve));
      clearInterval(tell);
      await started.close();
      io.stderr.write(`\n${lineOf(started)}\n`);
      return ExitCode.done;
    } finally {
      await shown?.close();
      await started?.close();
      await close();
    }
  },
};

/** What a proxy has done so far. */
function lineOf(proxy: Proxy): string {
  const { received, requests, hits, retries, throttled, refused, waiting, cost } = proxy.stats();
  const parts = [
    `${countOf(received, 'request')} of callers`,
    `${requests} sent`,
    `${hits} from the store`,
    `${retries} tried again`,
    ...(throttled === 0 ? [] : [`${throttled} × 429 by the service`]),
    `${refused} refused by the proxy`,
    ...(waiting === 0 ? [] : [`${waiting} waiting`]),
    ...(cost === 0 ? [] : [`cost ${Number(cost.toFixed(6))}`]),
  ];
  return `${parts.join(', ')}.`;
}

const counters = {
  received: 'Requests of callers.',
  requests: 'Requests sent to the service.',
  hits: 'Responses from the store.',
  retries: 'Requests tried again.',
  throttled: '429 responses of the service, tried again or not.',
  refused: 'Requests that the proxy itself refused: too long a wait, no budget, no connection.',
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
