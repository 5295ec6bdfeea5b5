// Compiles src/ and operators/ into dist/, from scratch, names the types of the operations, and bundles what is published. It
// doesn't check types: `npm run types` does.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';
import { nameTypes } from './nameTypes.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });
execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, '-p', `${root}tsconfig.build.json`, '--noCheck'], {
  stdio: 'inherit',
});
await nameTypes(`${root}dist`);
await bundle(`${root}dist`);
