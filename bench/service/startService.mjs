import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts the local service; `stop()` ends it. `form` and `rows`: as `server.mjs` takes them. */
export async function startService(latencyMs = 0, form = 'plain', rows = 20) {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./server.mjs', import.meta.url)), String(latencyMs), form, String(rows)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  return { url: String(line).trim(), stop: () => child.stdin.end() };
}
