import { countOf } from '../../../operators/kit/countOf.ts';
import { type Command, ExitCode, UsageError, writeOut, portTaken } from '../Command.ts';
import { number, whole } from '../../../operators/options/index.ts';
import { onAbort } from '../../../operators/kit/onAbort.ts';
import { dayFlag, numberOption, parseOptions } from '../parseOptions.ts';
import { jsonOrText } from '../../../operators/kit/parsedJson.ts';
import { namedService, serviceOption } from '../chooseService.ts';
import type { Fault, SandboxRateLimit } from '../../sandbox/index.ts';

const options = {
  port: { type: 'string', number: whole({ from: 0, to: 65_535 }), value: 'N', about: 'port on 127.0.0.1 (a free one)' },
  ...serviceOption,
  rows: { type: 'string', number: whole({ from: 0, finite: true }), value: 'N', about: 'with --service: rows of each query (0 to 35)' },
  seed: { type: 'string', value: 'TEXT', about: 'another seed gives other data' },
  day: { ...dayFlag, about: 'how many days have passed: data changes from day to day (0)' },
  works: {
    type: 'string',
    number: whole({ from: 1, to: 50_000 }),
    value: 'N',
    about: 'scholarly works on each topic, up to 50000 (8 to 68)',
  },
  'latency-ms': { type: 'string', value: 'MS', about: 'how long a response takes: 50, or 20-200 (0)' },
  'rate-limit': { type: 'string', value: 'N', about: 'respond 429 above N per second: 5; or above a window: 300/60s (none)' },
  'retry-after': { type: 'boolean', about: 'with --rate-limit: send a Retry-After header' },
  fault: {
    type: 'string',
    value: 'FAULT',
    multiple: true,
    about: 'a fault and when: status,status=503,nth=1 or reset,share=0.1,operation=NAME; may be given several times',
  },
  'path-prefix': { type: 'string', value: 'PATH', about: "what precedes each operation's path (the service's own)" },
} as const;

export const sandbox: Command = {
  name: 'sandbox',
  overview: [12, 'start the embedded service'],
  usage: '[options]',
  about:
    'Starts the embedded service, or a copy of one that you describe, on a real socket, with all operations. The same seed always gives ' +
    'the same data. It prints the environment variables to use it, and runs until Ctrl-C.',
  options,
  examples: [
    ['trawler sandbox --port 8080', 'on port 8080'],
    ['trawler sandbox --rate-limit 5 --retry-after', 'allow 5 requests per second, and send Retry-After'],
    ['trawler sandbox --service shop.mjs', 'a copy of your own service: rows of its shapes, its paging, its key'],
    ['trawler sandbox --works 3000', 'more works than a search returns, for splitWhenFull'],
    ['trawler sandbox --fault status,status=503,share=0.1', 'one response in ten is a 503'],
  ],
  async run(argv, io) {
    const { values, positionals } = parseOptions(argv, options, 'trawler sandbox');
    if (positionals.length > 0) throw new UsageError(`trawler sandbox takes options only, not '${positionals[0]}'.`);
    const { startSandbox } = await import('../../sandbox/index.ts');
    const service = await namedService(values.service);
    await using started = await startSandbox({
      service,
      rows: values.rows,
      port: values.port,
      seed: values.seed,
      day: values.day,
      works: values.works,
      latencyMs: latency(values['latency-ms']),
      rateLimit: rateLimitOption(values['rate-limit'], values['retry-after'] === true),
      faults: values.fault?.map(faultOption),
      pathPrefix: values['path-prefix'],
    }).catch(portTaken);
    const { variablesOf } = await import('../../contract/index.ts');
    const { baseUrl, apiKey, secrets } = variablesOf(service);
    const given = { [baseUrl]: started.url, [apiKey]: started.apiKey };
    for (const secret of Object.values(secrets)) given[secret] = 'sandbox'; // it takes any
    const lines = Object.entries(given).map(([variable, value]) => `export ${variable}=${value}\n`);
    await writeOut(io.stdout, lines.join(''));
    io.stderr.write(`\nThe sandbox listens on ${started.url}. Run the lines above in another terminal to use it. Stop it with Ctrl-C.\n`);
    await new Promise<void>((resolve) => void onAbort(io.signal, resolve));
    const requests = started.count();
    io.stderr.write(`\nIt received ${countOf(requests, 'request')}.\n`);
    return ExitCode.done;
  },
};

function latency(text: string | undefined): number | readonly [number, number] | undefined {
  if (text === undefined) return undefined;
  const [low, high] = text.split('-').map((part) => numberOption('latency-ms', part, number({ from: 0 }))) as [number, number?];
  return high === undefined ? low : [low, high];
}

/** `status,status=503,nth=1` as a fault. What reads as a number, a list or a switch in JSON is one, anything else is text. */
export function faultOption(text: string): Fault {
  const [fault, ...pairs] = text.split(/,(?=[a-zA-Z]+=)/);
  if (fault === undefined || !/^[a-zA-Z]+$/.test(fault)) {
    throw new UsageError(`--fault is a name, then options: status,status=503,nth=1. It can't be '${text}'.`);
  }
  const options = pairs.map((pair) => {
    const [name, ...value] = pair.split('=');
    return [name, jsonOrText(value.join('='))] as const;
  });
  return { fault, ...Object.fromEntries(options) } as Fault; // startSandbox checks it, and names the faults there are
}

/** `5`: a bucket that refills 5 times a second. `300/60s`: 300 in each 60 seconds. */
export function rateLimitOption(text: string | undefined, retryAfter: boolean): SandboxRateLimit | undefined {
  if (text === undefined) {
    if (retryAfter) throw new UsageError('--retry-after needs --rate-limit, because it says how long to wait then.');
    return undefined;
  }
  const [, requests, seconds] = /^(\d+(?:\.\d+)?)(?:\/(\d+(?:\.\d+)?)s)?$/.exec(text) ?? [];
  if (requests === undefined) {
    throw new UsageError(`--rate-limit is a number of requests a second such as 5, or a window such as 300/60s, not '${text}'.`);
  }
  return seconds === undefined
    ? { kind: 'bucket', perSecond: Number(requests), retryAfter }
    : { kind: 'window', requests: Number(requests), perMs: Number(seconds) * 1000, retryAfter };
}
