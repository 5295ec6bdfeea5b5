import type { Sandbox } from '../../src/sandbox/index.ts';

export interface Asked {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly code: number;
  readonly message: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into responses freely
  readonly data: any;
}

/** Asks the sandbox the plain way, with the right key unless other headers are given. */
export async function ask(
  sandbox: Sandbox,
  path: string,
  query: object = {},
  headers: Record<string, string> = { 'x-api-key': sandbox.apiKey },
): Promise<Asked> {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]));
  const response = await fetch(`${sandbox.url}/api/v1/engine${path}?${search.toString()}`, { headers, redirect: 'manual' });
  const text = await response.text();
  let envelope: { code?: number; message?: string; data?: unknown } = {};
  try {
    envelope = JSON.parse(text) as typeof envelope;
  } catch {}
  return {
    status: response.status,
    headers: response.headers,
    text,
    code: envelope.code ?? 0,
    message: envelope.message ?? '',
    data: envelope.data,
  };
}
