import type { IncomingMessage } from 'node:http';
import { bodyOf, startServer } from '../startServer.ts';
import { canary, closeAfter } from './library.ts';

export const id = 'app+1';
export const key = `${id}:${canary}`;
export const user = 'jo';
export const password = 'pass word/ö+9';
export const firstRefresh = 'refresh-token-of-the-user';
export const basic = `Basic ${Buffer.from(key).toString('base64')}`;

interface Said {
  readonly status: number;
  readonly body: string;
  readonly headers?: { readonly [name: string]: string };
}

interface TokenRules {
  readonly expires?: number;
  /** Gives another refresh token each time, and refuses the old one. */
  readonly rotates?: boolean;
  /** What it says in place of a token to the n-th request. */
  readonly says?: (n: number) => Said | undefined;
}

export interface TokenServer {
  readonly url: string;
  readonly requests: {
    readonly headers: IncomingMessage['headers'];
    readonly form: { readonly [field: string]: string };
    readonly url: string;
  }[];
  /** All tokens that it gave. */
  readonly given: string[];
  /** Whether a request has a token that is still valid. */
  knows(request: IncomingMessage): boolean;
  revoke(): void;
}

/** Gives access tokens for each grant. What it refuses it repeats. */
export async function tokenServer({ expires, rotates = false, says = () => undefined }: TokenRules = {}): Promise<TokenServer> {
  const requests: TokenServer['requests'] = [];
  const given: string[] = [];
  const valid = new Set<string>();
  let refresh = firstRefresh;
  const token = (): Said => {
    const access_token = `access-token-${requests.length}-${Math.random().toString(36).slice(2)}`;
    valid.add(`Bearer ${access_token}`);
    given.push(access_token);
    if (rotates) given.push((refresh = `${firstRefresh}-${requests.length}`));
    const fields = { access_token, token_type: 'bearer', expires_in: expires, ...(rotates && { refresh_token: refresh }) };
    return { status: 200, body: JSON.stringify(fields) };
  };
  const server = await startServer((request, response) => {
    void bodyOf(request).then((body) => {
      const form = Object.fromEntries(new URLSearchParams(body));
      requests.push({ headers: request.headers, form, url: request.url! });
      const knowsApp = request.headers.authorization === basic || (form['client_id'] === id && form['client_secret'] === canary);
      const knowsUser =
        form['grant_type'] === 'password'
          ? form['username'] === user && form['password'] === password
          : form['grant_type'] === 'client_credentials' || form['refresh_token'] === refresh;
      const error_description = `${request.headers.authorization} and ${JSON.stringify(form)} are wrong`;
      const refusal = { status: 400, body: JSON.stringify({ error: 'invalid_grant', error_description }) };
      const said: Said = says(requests.length) ?? (request.method === 'POST' && knowsApp && knowsUser ? token() : refusal);
      setTimeout(() => response.writeHead(said.status, said.headers).end(said.body), 20);
    });
  });
  closeAfter(server);
  return {
    url: `${server.url}/token`,
    requests,
    given,
    knows: ({ headers }) => valid.has(headers.authorization ?? ''),
    revoke: () => valid.clear(),
  };
}
