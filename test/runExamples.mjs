// Runs examples one after the other, so that they share what they import. The next one begins when the one before has nothing
// left to wait for, as its process would end then. Prints what each of them printed, as JSON: node runExamples.mjs FOLDER FILE…
// FILE?again runs one that has run.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, ...files] = process.argv.slice(2);
const printed = {};
const ended = new Error('the example ended itself');
let current;
process.exit = () => {
  throw ended;
};
process.stdout.write = (chunk, encoding, done) => {
  printed[current] += chunk;
  const callback = typeof encoding === 'function' ? encoding : done;
  if (callback !== undefined) process.nextTick(callback);
  return true;
};

const next = () => {
  current = files.shift();
  if (current === undefined) {
    process.off('beforeExit', next);
    delete process.stdout.write;
    process.stdout.write(JSON.stringify(printed));
    return;
  }
  printed[current] = '';
  process.chdir(mkdtempSync(join(folder, 'run-')));
  const [path, ...again] = current.split('?');
  import([pathToFileURL(path).href, ...again].join('?')).catch((error) => {
    if (error !== ended) printed[current] += `it failed: ${error.stack}`;
  });
};
process.on('beforeExit', next);
next();
