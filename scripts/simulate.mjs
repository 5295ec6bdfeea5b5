// Bundles the simulation and runs it: npm run simulate -- --seed 42 --worlds 1000. CONTRIBUTING says how to use it.
import { mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const dir = `${root}node_modules/.simulation-${process.pid}`; // its packages resolve from there

const made = await rolldown({
  input: `${root}test/simulation/simulate.ts`,
  external: (id) => !/^[.\/\0]|^@oxc-project/.test(id),
  platform: 'node',
  transform: { target: 'node20' },
});
mkdirSync(dir);
try {
  await made.write({ dir, sourcemap: true });
  await import(`${dir}/simulate.js`);
} finally {
  await made.close();
  rmSync(dir, { recursive: true });
}
