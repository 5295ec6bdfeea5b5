import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The compiler itself. What npm calls starts it in another process. */
const { default: compilerPath } = (await import(new URL('../node_modules/typescript/lib/getExePath.js', import.meta.url).href)) as {
  readonly default: () => string;
};

/** The cause of an error of TypeScript: its last line. */
export const causeOf = (error: string): string => error.trimEnd().split('\n').at(-1)!.replace(/^.*error TS\d+: /, '').trim(); // prettier-ignore

type Request = <T>(method: string, params: object) => Promise<T>;

export async function hoverAt(request: Request, at: object): Promise<string> {
  const hover = await request<{ readonly contents: unknown } | null>('textDocument/hover', at);
  return hover === null ? 'nothing' : JSON.stringify(hover.contents).replaceAll('\\n', '\n');
}

export async function completionsAt(request: Request, at: object): Promise<readonly string[]> {
  const found = await request<{ readonly items: readonly { readonly label: string }[] } | null>('textDocument/completion', at);
  return found?.items.map(({ label }) => label.replace(/\?$/, '')) ?? [];
}

/**
 * TypeScript's language server with these files open in a folder, which has a tsconfig.json. It takes as long to start as to compile them,
 * but checks only what is asked for.
 */
export async function startEditor(folder: string, texts: { readonly [name: string]: string }) {
  const server = spawn(compilerPath(), ['--lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const responses = new Map<number, (result: unknown) => void>();
  let received = Buffer.alloc(0);
  const send = (message: object): void => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    server.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    server.stdin.write(body);
  };
  server.stdout.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const end = received.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/.exec(received.toString('utf8', 0, end))?.[1]);
      if (end < 0 || received.length < end + 4 + length) return;
      const message = JSON.parse(received.toString('utf8', end + 4, end + 4 + length)) as {
        id?: number;
        method?: string;
        result?: unknown;
      };
      received = received.subarray(end + 4 + length);
      if (message.id === undefined) continue;
      if (message.method !== undefined) send({ id: message.id, result: null });
      else responses.get(message.id)?.(message.result);
    }
  });
  let id = 0;
  const request: Request = (method, params) =>
    new Promise((resolve) => {
      responses.set((id += 1), resolve as (result: unknown) => void);
      send({ id, method, params });
    });
  const documentOf = (name: string) => ({ uri: pathToFileURL(join(folder, name)).href });
  await request('initialize', { processId: process.pid, rootUri: pathToFileURL(folder).href, capabilities: {} });
  send({ method: 'initialized', params: {} });
  for (const [name, text] of Object.entries(texts))
    send({ method: 'textDocument/didOpen', params: { textDocument: { ...documentOf(name), languageId: 'typescript', version: 1, text } } });
  return {
    async close(): Promise<void> {
      server.kill();
      await once(server, 'close');
    },
    /** What is wrong in a file. */
    errorsIn: async (name: string): Promise<readonly string[]> => {
      const { items } = await request<{ readonly items: readonly { readonly message: string; readonly severity: number }[] }>(
        'textDocument/diagnostic',
        { textDocument: documentOf(name) },
      );
      return items.flatMap(({ message, severity }) => (severity === 1 ? [message] : []));
    },
    /** What it answers at the beginning of each of `places`. */
    at: <T>(name: string, ask: (request: Request, at: object) => Promise<T>, places: readonly string[]): Promise<readonly T[]> =>
      Promise.all(
        places.map((place) => {
          const before = texts[name]!.slice(0, texts[name]!.indexOf(place)).split('\n');
          const position = { line: before.length - 1, character: before.at(-1)?.length };
          return ask(request, { textDocument: documentOf(name), position });
        }),
      ),
  };
}
