// Compiles src/ and operators/ into dist/ or another folder, from scratch, names the types of the operations, and bundles what is
// published: node scripts/build.mjs [FOLDER]. It doesn't check types: `npm run types` does.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';
import { nameTypes } from './nameTypes.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = resolve(process.argv[2] ?? `${root}dist`);
rmSync(dist, { recursive: true, force: true });
const compiler = `${root}node_modules/typescript/bin/tsc`;
const args = ['-p', `${root}tsconfig.build.json`, '--noCheck', '--outDir', dist];
// The compiler is written in Go: collecting garbage takes a third of its CPU.
execFileSync(process.execPath, [compiler, ...args], { stdio: 'inherit', env: { ...process.env, GOGC: 'off' } });
await nameTypes(dist);
await bundle(dist);
