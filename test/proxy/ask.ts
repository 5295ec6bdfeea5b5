import { request, type IncomingMessage } from 'node:http';

export interface Answered {
  readonly status: number;
  /** Names and values, without those of the connection and of the proxy. */
  readonly headers: readonly string[];
  readonly header: (name: string) => string | undefined;
  readonly body: Buffer;
}

interface Asked {
  readonly method?: string;
  readonly headers?: { readonly [name: string]: string | readonly string[] };
  readonly body?: Buffer | readonly Buffer[];
}

const ofConnection = /^(?:connection|keep-alive|transfer-encoding|x-trawler-.*)$/i;

/** One request with a path as it is written, on a connection of its own. */
export function ask(base: string, path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answered> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers: headers as never, agent: false }, (response: IncomingMessage) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part)).on('error', reject);
      response.on('end', () => {
        const raw = response.rawHeaders;
        const kept = raw.filter((_, at) => !ofConnection.test(raw[at - (at % 2)]!));
        const header = (name: string): string | undefined => response.headers[name] as string | undefined;
        resolve({ status: response.statusCode!, headers: kept, header, body: Buffer.concat(parts) });
      });
    });
    sent.on('error', reject);
    if (Array.isArray(body)) {
      for (const part of body as readonly Buffer[]) sent.write(part);
      sent.end();
    } else sent.end(body as Buffer | undefined);
  });
}
