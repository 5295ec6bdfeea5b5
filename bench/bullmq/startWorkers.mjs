import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Workers in processes of their own; resolves when all are there. The result stops them, and gives the CPU they took. */
export async function startWorkers(count, options, apiKey) {
  const script = fileURLToPath(new URL('worker.mjs', import.meta.url));
  const env = { ...process.env, TRAWLER_API_KEY: apiKey };
  const children = Array.from({ length: count }, () => fork(script, [JSON.stringify(options)], { env }));
  const ready = children.map((child) => Promise.race([once(child, 'message'), once(child, 'exit').then(failed)]));
  await Promise.all(ready);
  return async () => {
    for (const child of children) child.kill('SIGTERM');
    const told = await Promise.all(children.map((child) => once(child, 'message')));
    await Promise.all(children.map((child) => child.exitCode ?? once(child, 'exit')));
    return told.reduce((sum, [{ cpuMs }]) => sum + cpuMs, 0);
  };
}

function failed() {
  throw new Error('a worker ended');
}
