import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Workers in processes of their own; resolves when all are there. */
export async function startWorkers(count, options, apiKey) {
  const script = fileURLToPath(new URL('worker.mjs', import.meta.url));
  const env = { ...process.env, TRAWLER_API_KEY: apiKey };
  const children = Array.from({ length: count }, () => fork(script, [JSON.stringify(options)], { env }));
  await Promise.all(children.map((child) => new Promise((resolve) => child.once('message', resolve))));
  return async () => {
    for (const child of children) child.kill('SIGTERM');
    await Promise.all(children.map((child) => new Promise((resolve) => child.once('exit', resolve))));
  };
}
