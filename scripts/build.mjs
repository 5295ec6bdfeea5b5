// Compiles src/ and operators/ into dist/, from scratch, and names the types of the operations.
import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { nameTypes } from './nameTypes.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });
execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, '-p', `${root}tsconfig.build.json`], { stdio: 'inherit' });
await nameTypes(`${root}dist`);
chmodSync(`${root}dist/src/cli/main.js`, 0o755);
