// Runs a flow on the compiled package and kills itself with SIGKILL: before the disk's operation number `failAt`, half-way
// into it where it is a write and `torn`, or after `killAfterMs`.
import { basename } from 'node:path';

const {
  dist,
  url,
  apiKey,
  flow,
  outDir,
  failAt = Infinity,
  torn = false,
  killAfterMs,
  update = false,
  commitMs = 2,
} = JSON.parse(process.argv[2]);
const { createClient } = await import(`${dist}/bundle/index.js`);
const { runFlow } = await import(`${dist}/bundle/flow.js`);
const { nodeFileSystem } = await import(`${dist}/bundle/sinks.js`);

/** The operations so far: what was done, to which file. */
const done = [];
const die = () => process.kill(process.pid, 'SIGKILL');
const point = (name, path, half) => {
  done.push(`${name} ${basename(path).replaceAll(/\d+/g, 'n')}`);
  if (done.length !== failAt) return;
  if (torn) half?.();
  die();
};
const around = (target, names, path, halves = {}) =>
  new Proxy(target, {
    get(inner, name) {
      const value = inner[name];
      if (typeof value !== 'function') return value;
      return (...args) => {
        if (names.includes(name)) point(name, path ?? args[0], () => halves[name]?.(...args));
        return value.apply(inner, args);
      };
    },
  });
const half = (file) => (bytes, offset, length, at) => file.writeSync(bytes, offset, Math.floor(length / 2), at);
const disk = around(nodeFileSystem, ['makeFolder', 'link', 'rename', 'unlink', 'build', 'syncFolder']);
const fileSystem = new Proxy(disk, {
  get: (inner, name) =>
    name !== 'open'
      ? inner[name]
      : (path, flags, mode) => {
          if (flags === 'wx') point('open', path);
          const file = nodeFileSystem.open(path, flags, mode);
          return around(file, ['write', 'writeSync', 'datasync', 'truncate'], path, { write: half(file), writeSync: half(file) });
        },
});

const client = createClient({ baseUrl: url, apiKey });
if (killAfterMs !== undefined) setTimeout(die, killAfterMs);
const started = performance.now();
runFlow(flow, { client, outDir, fileSystem, concurrency: 2, commitMs, update }).subscribe({
  error: (error) => {
    console.error(error);
    process.exit(1);
  },
  complete: () => {
    console.log(JSON.stringify({ done, ms: performance.now() - started }));
    void client.close();
  },
});
