// Builds the image, stops a crawl in it on the way, resumes it and looks at its file; then does the same as the compose file says.
// node scripts/checkImage.mjs: needs Docker with Compose.
import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout as wait } from 'node:timers/promises';

const root = fileURLToPath(new URL('..', import.meta.url));
const compose = 'examples/deploy/compose.yaml';
const docker = (...args) => execFileSync('docker', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();

/** Fails unless it is so. */
function check(what, isSo) {
  console.log(`${isSo ? 'ok' : 'NOT OK'}: ${what}`);
  if (!isSo) throw new Error(what);
}

const [name, volume] = ['trawler-check', 'trawler-check-data'];
const flow = `${root}examples/flows/coffee.json:/crawl/coffee.json:ro`;
const hardened = `--read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges --volume ${volume}:/data`.split(' ');
const command = ['run', '/crawl/coffee.json', '--sandbox', '--rate', '100', '--metrics', '0.0.0.0:9464'];
const start = () => docker('run', '--detach', '--name', name, ...hardened, '--volume', flow, 'trawler', ...command);
const exitCode = () => Number(docker('wait', name));

try {
  docker('build', '--tag', 'trawler', '.');
  check('the image is of this machine', docker('run', '--rm', 'trawler', '--version').length > 0);
  start();
  await wait(3000);
  docker('stop', '-t', '10', name);
  check('a run that is stopped on the way exits with 143', exitCode() === 143);
  docker('rm', name);
  start();
  check('it resumes and is done', exitCode() === 0);
  const inVolume = (...args) => docker('run', '--rm', ...hardened, '--entrypoint', args[0], 'trawler', ...args.slice(1));
  const { resources } = JSON.parse(inVolume('cat', '/data/out/coffee/datapackage.json'));
  const { rows } = resources.find(({ path }) => path === 'reviews.jsonl');
  const lines = Number(inVolume('wc', '-l', '/data/out/coffee/reviews.jsonl').split(' ')[0]);
  check(`reviews.jsonl has the ${rows} rows that datapackage.json names`, rows > 1000 && lines === rows);

  docker('compose', '--file', compose, 'up', '--detach', '--quiet-pull');
  const leader = docker('compose', '--file', compose, 'ps', '--all', '--quiet', 'leader');
  check('the leader of the compose file is done', docker('wait', leader) === '0');
  const count = 'SELECT count(*) FROM reviews';
  const inTable = Number(docker('compose', '--file', compose, 'exec', 'postgres', 'psql', '-U', 'trawler', '-tAc', count));
  check(`its table has ${inTable} rows`, inTable > 1000);
  check('its page tells its address', docker('compose', '--file', compose, 'logs', 'page').includes('/?token='));
} finally {
  for (const args of [
    ['rm', '--force', name],
    ['volume', 'rm', volume],
    ['compose', '--file', compose, 'down', '--volumes'],
  ])
    spawnSync('docker', args, { cwd: root, stdio: 'ignore' });
}
