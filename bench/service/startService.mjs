import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts the local service; `stop()` ends it. `form`: as `server.mjs` takes it. */
export async function startService(latencyMs = 0, form = 'plain') {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./server.mjs', import.meta.url)), String(latencyMs), form], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  return { url: String(line).trim(), stop: () => child.stdin.end() };
}
