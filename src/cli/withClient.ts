import type { Service } from '../contract/index.ts';
import type { AnyClient } from '../index.ts';
import { describeError } from './describeError.ts';
import { abortedCode, ExitCode, InterruptedError } from './ExitCode.ts';
import type { Io } from './Io.ts';
import { openClient, type ClientValues } from './openClient.ts';

/**
 * Runs a command with the client that its options describe, and closes the client. Errors go to stderr. The exit code
 * says whether any request was sent: by this client or, according to `requested`, by others for it.
 */
export async function withClient(
  values: ClientValues,
  service: Service,
  io: Io,
  work: (client: AnyClient) => Promise<number>,
  requested: () => boolean = () => false,
): Promise<number> {
  await using open = await openClient(values, service, io);
  try {
    return await work(open.client);
  } catch (error) {
    if (error instanceof InterruptedError) return abortedCode(io.signal);
    io.stderr.write(await describeError(error, io));
    if ((error as Error).name === 'BusyError') return ExitCode.busy;
    return open.client.stats().requests > 0 || requested() ? ExitCode.failures : ExitCode.usage;
  }
}
