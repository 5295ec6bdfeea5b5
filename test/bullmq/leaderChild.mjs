// A leader in a process of its own: node leaderChild.mjs DIST OPTIONS. It has no key. Prints its summary. `flow`: a flow, or its file.
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { pathToFileURL } from 'node:url';

const [dist, text] = process.argv.slice(2);
const { flow, host = os.hostname(), ...options } = JSON.parse(text);
os.hostname = () => host;
syncBuiltinESMExports();
const { leadFlow } = await import(pathToFileURL(`${dist}/bundle/bullmq.js`));
const { loadFlow } = await import(pathToFileURL(`${dist}/bundle/flow.js`));
leadFlow(typeof flow === 'string' ? await loadFlow(flow) : flow, options).subscribe({
  next(progress) {
    if (progress.type === 'notice' || progress.type === 'failure') process.stderr.write(`${JSON.stringify(progress)}\n`);
    if (progress.type === 'summary') process.stdout.write(JSON.stringify(progress));
  },
  error(error) {
    process.stderr.write(`${error.stack}\n`);
    process.exitCode = 1;
  },
});
