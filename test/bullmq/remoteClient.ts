import type { LeaderQueue } from '../../src/bullmq/LeaderQueue.ts';
import { RemoteAttempts } from '../../src/bullmq/RemoteAttempts.ts';
import { encodeResult } from '../../src/bullmq/Result.ts';
import { resultOf } from '../../src/bullmq/PageWorker.ts';
import type { AnyClient } from '../../src/client/Client.ts';
import { coreOf } from '../../src/client/coreOf.ts';
import { createRemoteClient } from '../../src/client/createServiceClient.ts';

/** A leader's client, whose requests this worker sends. What goes between them is in memory, as the texts that it is in a queue. */
export function remoteClient(worker: object): AnyClient {
  const core = coreOf.get(worker)!;
  const stop = (error: Error): never => {
    throw error;
  };
  const queue = {
    add(jobs: Parameters<LeaderQueue['add']>[0]) {
      for (const page of jobs.flat()) {
        const data = JSON.parse(JSON.stringify(page)) as typeof page;
        void resultOf(core, worker as never, data, stop).then((result) =>
          attempts.receive([{ at: page.id, results: [[page.id, [...encodeResult(result, (text) => text)]]] }]),
        );
      }
    },
    drop: () => Promise.resolve(),
  } as unknown as LeaderQueue;
  const attempts = new RemoteAttempts(queue, core.settings.clock);
  return createRemoteClient(core.settings, attempts.make);
}
