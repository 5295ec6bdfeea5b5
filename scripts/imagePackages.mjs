// Prints the packages that the image has beside trawler, each in the version that is tested: node scripts/imagePackages.mjs
// They are the optional ones but for DuckDB, which has 100 MB of machine code.
import { readFileSync } from 'node:fs';

const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
const names = Object.keys(packages[''].peerDependencies).filter((name) => name !== '@duckdb/node-api');
console.log(names.map((name) => `${name}@${packages[`node_modules/${name}`].version}`).join(' '));
