import { chmodSync, copyFileSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { closureOf } from './bundleSizes.mjs';
import { classesIn, writeForRequire } from './forRequire.mjs';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const packages = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
const external = (id) => packages.some((name) => id === name || id.startsWith(`${name}/`));
/** Files that are used together become one file. Otherwise every set of users would get a file of its own, and each file takes time to load. */
const groups = [
  {
    name: 'base',
    test: /\/(src\/(errors\/|contract\/ResponseStore\.js$)|operators\/(check\/nearestName|options\/(OptionSet|kinds)|kit\/(countOf|days|once|parsedJson|ownValue|quickDigest)|LazyRow|rowOrigin)\.js$)/,
  },
  {
    name: 'paging',
    test: /\/(src\/(contract\/queriesOf|search\/fanOuts)\.js$|operators\/(walk\/paging\/|(PageLike|options\/fieldKinds|kit\/(canonicalJson|jsonLocations|LruCache|parsedUrl|path|writeTime)|walk\/(Recheck|rowsAt))\.js$))/,
  },
  { name: 'search', test: /\/src\/search\/(operations|forms|rules|shared|searchService)/ },
  { name: 'answers', test: /\/src\/contract\/answerTables\.js$/ },
  { name: 'description', test: /\/src\/(contract\/(?!routesOf|decodeBody)|client\/coreOf\.js$)/ },
  {
    name: 'kit',
    test: /\/(src\/client\/events\/OperationCounts\.js$|operators\/(demand\/|(named|limits\/backoff|kit\/(Listener|Outlet|defineOperator|onAbort|workThrough))\.js$))/,
  },
  // What a client needs of the disk, and what only those who write rows need.
  { name: 'files', test: /\/src\/files\/(?!ByteBuffer|resolvePath|lockedFileSystem)/ },
  { name: 'folders', test: /\/src\/files\// },
  { name: 'spending', test: /\/src\/ledger\/(LedgerClient|SpendLedger|ledgerNames|Balance|money)\.js$/ },
  // Only workers pack rows and send one attempt.
  { name: 'client', test: /\/src\/client\/(?!spans\/packSpans|attempt\/attemptOnce|flowAccess|events\/OperationCounts)/ },
];
const walks = /\/operators\/(split|walk)\//;
/**
 * What the door of flows loads at once is kept apart from what a run or a plan loads. A leader of workers needs neither reports nor
 * drawings.
 */
const groupsOfFlow = (atOnce, ofRuns) => [
  { name: 'flow', test: (id) => ofRuns.has(id) && /\/src\/(flow\/|client\/flowAccess\.js$)/.test(id) },
  { name: 'report', test: (id) => atOnce.has(id) && id.includes('/src/flow/') },
  { name: 'formats', test: (id) => atOnce.has(id) && id.includes('/src/sinks/') },
  { name: 'run', test: /\/src\/flow\// },
  { name: 'ranges', test: (id) => atOnce.has(id) && walks.test(id) },
  { name: 'walk', test: walks },
];

/**
 * Puts the compiled files of `dist` together into `dist/bundle`: one file per door of the package and one for the command, which
 * share what they have in common, so that a class is the same behind each door. Packages stay imports.
 */
export async function bundle(dist) {
  const doors = Object.values(manifest.exports).filter((door) => door.types !== undefined);
  const entries = doors.map((door) => [fileNameOf(door.default), `${dist}/${inDist(door.types).replace(/\.d\.ts$/, '.js')}`]);
  // What is started by its file: the command, and the process that runs SQL.
  const programs = { [fileNameOf(manifest.bin.trawler)]: 'src/cli/main.js', sql: 'src/show/data/sqlMain.js' };
  const loadedBy = (file) => closureOf(`${slashed(dist)}/${file}`);
  const made = await rolldown({
    input: Object.fromEntries([...entries, ...Object.entries(programs).map(([name, file]) => [name, `${dist}/${file}`])]),
    external,
    platform: 'node',
    preserveEntrySignatures: 'allow-extension',
    treeshake: { moduleSideEffects: false }, // as the manifest says, but also where dist lies in another package
    plugins: [
      {
        name: 'source maps of the compiler',
        transform: {
          filter: { id: /^[^\0].*\.js$/ },
          handler: (code, id) => ({ code, map: readFileSync(`${id}.map`, 'utf8') }),
        },
      },
      // One letter beyond Latin 1 makes V8 keep the whole file in two bytes a letter.
      {
        name: 'plain ASCII',
        generateBundle: (_, files) => {
          for (const file of Object.values(files)) if (file.type === 'chunk') file.code = file.code.replace(/[^\0-\x7f]/g, escaped);
        },
      },
    ],
  });
  const { output } = await made.write({
    dir: `${dist}/bundle`,
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name].js',
    codeSplitting: {
      groups: [...groups, ...groupsOfFlow(loadedBy('src/flow/index.js'), loadedBy('src/flow/run/runFlow.js'))].map(({ name, test }) => ({
        name,
        test: (id) => (test instanceof RegExp ? test.test(slashed(id)) : test(slashed(id))),
      })),
      includeDependenciesRecursively: false,
    },
    sourcemap: true,
    sourcemapExcludeSources: true, // they name the place in the repository
    sourcemapPathTransform: (compiled) => `../${compiled.replace(/\.js$/, '.ts')}`,
    comments: { legal: true, annotation: true, jsdoc: false },
  });
  await made.close();
  const classes = classesIn(dist);
  for (const door of doors) {
    const { exports } = output.find(({ isEntry, name }) => isEntry && name === fileNameOf(door.default));
    writeForRequire({ types: `${dist}/${inDist(door.types)}`, code: `${dist}/${inDist(door.default)}`, exports, classes });
  }
  await bundlePage(`${dist}/bundle/page`);
  chmodSync(`${dist}/${inDist(manifest.bin.trawler)}`, 0o755);
}

/** The page of `trawler show`: one script for the browser, and its style. */
async function bundlePage(folder) {
  const source = new URL('../src/show/page/', import.meta.url);
  const made = await rolldown({ input: fileURLToPath(new URL('main.ts', source)), platform: 'browser' });
  await made.write({ dir: folder, entryFileNames: 'page.js', minify: true });
  await made.close();
  copyFileSync(new URL('page.css', source), `${folder}/page.css`);
}

const escaped = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
/** Paths of Windows have backslashes. */
const slashed = (path) => path.replaceAll('\\', '/');
const inDist = (path) => path.replace(/^(\.\/)?dist\//, '');
const fileNameOf = (path) => inDist(path).replace(/^bundle\/(.*)\.js$/, '$1');
