// One client against a service that allows 50 requests a second, for some seconds: `node rate/runPeer.mjs CLIENT SECONDS RETRY_AFTER`.
// The client asks for pages without end, sixteen at once; what it was allowed, what it got, what was refused, what it lost.
import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox } from 'trawler/sandbox';

const [name, secondsText, retryAfter] = process.argv.slice(2);
const seconds = Number(secondsText);
const perSecond = 50;
const sandbox = await startSandbox({
  rateLimit: { kind: 'bucket', perSecond, burst: perSecond, retryAfter: retryAfter === 'true' },
  latencyMs: [10, 30],
});
const until = performance.now() + seconds * 1000;
const headers = { 'x-api-key': sandbox.apiKey };
const address = (n) => `${sandbox.url}/api/v1/engine/autocomplete?query=q${n}`;
let asked = 0;
let lost = 0;

/** Sixteen loops that each ask for one page after the other; a page whose request throws for good is lost. */
async function loops(get) {
  const loop = async () => {
    while (performance.now() < until) {
      const n = (asked += 1);
      await get(n).catch(() => {
        if (performance.now() < until) lost += 1;
      });
    }
  };
  await Promise.race([Promise.all(Array.from({ length: 16 }, loop)), sleep(seconds * 1000)]);
}
const fetched = async (n) => {
  const response = await fetch(address(n), { headers });
  await response.text();
  if (!response.ok) throw new Error(String(response.status));
};

const clients = {
  async trawler() {
    const { firstValueFrom } = await import('rxjs');
    const { createClient } = await import('trawler');
    const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, concurrency: 16 });
    await loops((n) => firstValueFrom(client.autocomplete({ query: `q${n}` })));
  },
  async got() {
    const { got } = await import('got');
    await loops((n) => got(address(n), { headers }).text());
  },
  async gotTen() {
    const { got } = await import('got');
    await loops((n) => got(address(n), { headers, retry: { limit: 10 } }).text());
  },
  async pQueue() {
    const { default: PQueue } = await import('p-queue');
    const queue = new PQueue({ concurrency: 16, interval: 1000, intervalCap: perSecond });
    await loops((n) => queue.add(() => fetched(n)));
  },
  async bottleneck() {
    const { default: Bottleneck } = await import('bottleneck');
    const limiter = new Bottleneck({ maxConcurrent: 16, minTime: 1000 / perSecond });
    await loops((n) => limiter.schedule(() => fetched(n)));
  },
  async crawlee() {
    const { BasicCrawler, Configuration, log } = await import('@crawlee/basic');
    log.setLevel(log.LEVELS.OFF);
    const crawler = new BasicCrawler(
      {
        minConcurrency: 16,
        maxConcurrency: 16,
        requestHandler: async ({ request }) => {
          const response = await fetch(request.url, { headers });
          await response.text();
          if (!response.ok) throw new Error(String(response.status));
        },
        failedRequestHandler: () => {
          lost += 1;
        },
      },
      new Configuration({ persistStorage: false, purgeOnStart: false }),
    );
    const many = Array.from({ length: perSecond * (seconds + 10) }, (_, n) => ({ url: address(n) }));
    await Promise.race([crawler.run(many), sleep(seconds * 1000)]);
  },
};
await clients[name]();
const refused = sandbox.requests.filter(({ status }) => status === 429).length;
const answered = sandbox.requests.filter(({ status }) => status === 200).length;
console.log(
  JSON.stringify({
    share: answered / (perSecond * seconds + perSecond),
    refused: refused / sandbox.requests.length,
    lost,
    requests: sandbox.requests.length,
  }),
);
process.exit(0);
