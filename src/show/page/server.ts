const token = new URLSearchParams(location.search).get('token') ?? '';

/** An address of the server, with the token. */
export function apiAddress(path: string, params: URLSearchParams = new URLSearchParams()): string {
  const all = new URLSearchParams(params);
  all.set('token', token);
  return `api/${path}?${all.toString()}`;
}

/** Fetches JSON. Throws an error with what the server says. */
export async function get<Value>(path: string, params?: URLSearchParams): Promise<Value> {
  return read<Value>(() => fetch(apiAddress(path, params)));
}

export async function post(path: string, params: URLSearchParams): Promise<void> {
  await read(() => fetch(apiAddress(path, params), { method: 'POST' }));
}

async function read<Value>(send: () => Promise<Response>): Promise<Value> {
  let response: Response;
  try {
    response = await send();
  } catch {
    throw new Error('The server does not respond. Is the command that serves this page still running?');
  }
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Value;
}
