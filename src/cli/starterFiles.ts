import { existsSync, readFileSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { FlowDefinition } from '../flow/index.ts';
import { packageVersion } from './packageVersion.ts';

interface StarterFilesOptions {
  /** Where they are written. */
  readonly folder: string;
  /** A script that runs the flow from code. */
  readonly script: boolean;
  readonly packageJson: boolean;
  readonly env: boolean;
  readonly gitignore: boolean;
}

const envExample = `# Copy this file to .env and fill it in.
# The address begins with https://. That of 'npx trawler sandbox', which listens on this machine, begins with http://.
TRAWLER_BASE_URL=
TRAWLER_API_KEY=
`;

/** The files that a new crawl starts with, by name. */
export function starterFiles(
  flow: FlowDefinition,
  { folder, script, packageJson, env, gitignore }: StarterFilesOptions,
): { readonly [name: string]: string } {
  const path = `${flow.name}.json`;
  const manifest = {
    private: true,
    type: 'module',
    scripts: {
      try: `trawler run ${path} --sandbox --out out/sandbox`,
      plan: `trawler plan ${path}`,
      crawl: `trawler run ${path} --env .env`,
      update: `trawler run ${path} --env .env --update`,
      show: 'trawler show',
    },
    dependencies: { rxjs: '^7.8.2', trawler: dependencyFor(folder) },
  };
  return {
    [path]: json({ $schema: './node_modules/trawler/schema/flow.schema.json', ...flow }),
    ...(env ? { '.env.example': envExample } : {}),
    ...(gitignore ? { '.gitignore': '.env\nnode_modules/\nout/\n' } : {}),
    ...(packageJson ? { 'package.json': json(manifest) } : {}),
    ...(script ? { 'crawl.mjs': scriptOf(flow.name) } : {}),
  };
}

/** What the project in this folder says of trawler, so that a new one beside or below it gets the same: also a tarball. */
function dependencyFor(folder: string): string {
  const manifest = existsSync('package.json') ? readFileSync('package.json', 'utf8') : '{}';
  const { dependencies } = JSON.parse(manifest) as { readonly dependencies?: { readonly [name: string]: string } };
  const known = dependencies?.['trawler'] ?? `^${packageVersion()}`;
  return known.startsWith('file:') ? `file:${relative(folder, resolve(known.slice('file:'.length))).replaceAll(sep, '/')}` : known;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function scriptOf(name: string): string {
  const path = `${name}.json`;
  return `// Runs the flow in ${path}: node --env-file=.env crawl.mjs
${imported('lastValueFrom', 'rxjs')}
${imported('createClient', 'trawler')}
${imported('loadFlow, runFlow', 'trawler/flow')}

const client = createClient();
const flow = await loadFlow('${path}');
const summary = await lastValueFrom(runFlow(flow, { client, outDir: 'out/${name}' }));
for (const { path, rows } of summary.files) console.log(path, rows);
await client.close();
`;
}

function imported(names: string, door: string): string {
  const from = `'${door}'`;
  return `import { ${names} } from ${from};`;
}
