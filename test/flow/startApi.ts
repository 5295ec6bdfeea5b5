import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { runInProcess } from '../cli/runInProcess.ts';
import { startServer } from '../client/startServer.ts';
import { until } from '../client/testClient.ts';

export interface ApiRow {
  readonly [field: string]: unknown;
}
/** The parameters of a request, as texts. */
export interface ApiQuery {
  readonly [param: string]: string;
}

/** What else a request has: its path, and its body if it is JSON. */
export interface ApiRequest {
  readonly path: string;
  readonly body: unknown;
}

/** A body with headers. */
export class Said {
  readonly body: unknown;
  readonly headers: { readonly [name: string]: string };

  constructor(body: unknown, headers: Said['headers']) {
    this.body = body;
    this.headers = headers;
  }
}

/** The order of texts. */
export function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** A service over HTTP with one operation, `rows`, and flows that run on it by the command. */
export interface Api extends AsyncDisposable {
  readonly url: string;
  /** All that was requested. */
  readonly requests: ApiQuery[];
  /** Runs a flow with this stage, or with these `stages`. Returns the exit code and what was said. */
  readonly run: (stage: object, ...argv: readonly string[]) => Promise<{ readonly code: number; readonly stderr: string }>;
  /** The same in another process, that is killed after this many requests. */
  readonly kill: (stage: object, after: number, ...argv: readonly string[]) => Promise<void>;
  /** The rows that the last runs wrote. */
  readonly rows: () => Promise<readonly ApiRow[]>;
}

/**
 * `operation`: its description. `respond`: what it says to a query. A text is why it refuses it. `service`: what else its description has.
 */
export async function startApi(
  name: string,
  operation: object,
  respond: (query: ApiQuery, request: ApiRequest) => object | string,
  flowKeys: object = {},
): Promise<Api> {
  const requests: ApiQuery[] = [];
  const server = await startServer((request, response) => {
    const { searchParams, pathname: path } = new URL(request.url!, 'http://api');
    const query = Object.fromEntries(searchParams);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      requests.push(query);
      const said = respond(query, { path, body: chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString()) });
      const { body, headers } = said instanceof Said ? said : new Said(typeof said === 'string' ? { error: said } : said, {});
      response.writeHead(typeof said === 'string' ? 422 : 200, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    });
  });
  const folder = join(inject('dist'), `api-${name}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'api.mjs'),
    `import { defineOperation, defineService } from '../bundle/index.js';
const rows = defineOperation(${JSON.stringify('post' in operation ? operation : { get: '/rows', ...operation })});
export default defineService({ name: '${name}', operations: { rows } });`,
  );
  const out = join(folder, 'out');
  const env = { TRAWLER_BASE_URL: server.url };
  const argvOf = async (stage: object, argv: readonly string[]): Promise<readonly string[]> => {
    const stages = 'stages' in stage ? stage.stages : { rows: { call: 'rows', pages: 'all', to: 'rows.jsonl', ...stage } };
    const flow = { name, service: './api.mjs', ...flowKeys, stages };
    await writeFile(join(folder, 'flow.json'), JSON.stringify(flow));
    return ['run', join(folder, 'flow.json'), '--out', out, '--rate', 'unlimited', ...argv];
  };
  return {
    url: server.url,
    requests,
    run: async (stage, ...argv) => runInProcess(await argvOf(stage, argv), { env }),
    async kill(stage, after, ...argv) {
      const from = requests.length;
      const child = spawn(process.execPath, [join(inject('dist'), 'bundle/cli.js'), ...(await argvOf(stage, argv))], {
        env: { ...process.env, ...env },
        stdio: 'ignore',
      });
      await until(() => requests.length >= from + after, 'the run');
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    async rows() {
      const text = await readFile(join(out, 'rows.jsonl'), 'utf8');
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as ApiRow);
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
