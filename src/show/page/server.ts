import type { StillReading } from '../api.ts';

const token = new URLSearchParams(location.search).get('token') ?? '';

/** The address of a route of the server, with the token. */
function apiAddress(path: string, params: URLSearchParams = new URLSearchParams()): string {
  const all = new URLSearchParams(params);
  all.set('token', token);
  return `api/${path}?${all.toString()}`;
}

const repeatMs = 20; // short, because the server itself waits before it responds

/** Waits before a request is repeated, because the server hasn't read the whole file yet. */
export function aMoment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, repeatMs));
}

/** Fetches JSON. Throws an error with the server's text. While the server reads the file, `wait` is called with the share that is read. */
export async function get<Value>(path: string, params?: URLSearchParams, wait?: (read: number) => void): Promise<Value> {
  for (;;) {
    const response = await respond(() => fetch(apiAddress(path, params)));
    if (response.status !== 202) return (await response.json()) as Value;
    wait?.(((await response.json()) as StillReading).read);
    await aMoment();
  }
}

export async function post(path: string, params: URLSearchParams): Promise<void> {
  await respond(() => fetch(apiAddress(path, params), { method: 'POST' }));
}

async function respond(send: () => Promise<Response>): Promise<Response> {
  let response: Response;
  try {
    response = await send();
  } catch {
    throw new Error('The server does not respond. Is the command that serves this page still running?');
  }
  if (!response.ok) throw new Error(await response.text());
  return response;
}
