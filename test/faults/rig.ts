import { firstValueFrom, type Observable } from 'rxjs';
import type { Client } from '../../src/createClient.ts';
import type { ClientEvent } from '../../src/client/events/clientEvents.ts';
import type { ClientOptions } from '../../src/client/ClientOptions.ts';
import { createClient } from '../../src/createClient.ts';
import { TrawlerError } from '../../src/errors/index.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.ts';

import { more, type NamedFault } from '../sandbox/moreFaults/more.ts';

/** A sandbox and a client of it that retries quickly. */
export interface Rig {
  readonly sandbox: Sandbox;
  readonly client: Client;
  readonly events: readonly ClientEvent[];
  /** The events of one type. */
  readonly of: <T extends ClientEvent['type']>(type: T) => Extract<ClientEvent, { type: T }>[];
}

export async function withFaults(
  faults: readonly NamedFault[],
  run: (rig: Rig) => Promise<void>,
  options: { readonly client?: ClientOptions; readonly sandbox?: SandboxOptions } = {},
): Promise<void> {
  const sandbox = await startSandbox({ faults: faults.map(more), ...options.sandbox });
  const retry = { baseMs: 1, capMs: 4, ...options.client?.retry };
  const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, ...options.client, retry });
  const events: ClientEvent[] = [];
  client.events$.subscribe((event) => events.push(event));
  try {
    await run({ sandbox, client, events, of: (type) => events.filter((event) => event.type === type) as never });
  } finally {
    await client.close();
    await sandbox.close();
  }
}

/** The error that a stream ends with. */
export async function errorOf(stream: Observable<unknown>): Promise<TrawlerError> {
  try {
    await firstValueFrom(stream);
  } catch (error) {
    if (error instanceof TrawlerError) return error;
    throw error;
  }
  throw new Error('expected an error, got a value');
}

/** Waits, without a clock, until something holds. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
