import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * Writes what `require` gets of a door, beside its code and its types: the same module. Before 5.8, and with node16, TypeScript lets no
 * CommonJS module import the types of an ES module, although Node loads it. These files re-export all types together, and values
 * one by one, because the compiler takes no other form.
 */
export function writeForRequire({ types, code, exports, classes }) {
  const mode = "{ 'resolution-mode': 'import' }";
  const door = `'./${basename(types).replace(/\.d\.ts$/, '.js')}'`;
  const module = `import(${door}, { with: ${mode} })`;
  const values = exports.flatMap((name) => [
    `export declare const ${name}: (typeof ${module})['${name}'];`,
    ...(classes.has(name) ? [`export type ${name} = ${module}.${name};`] : []),
  ]);
  writeFileSync(types.replace(/\.d\.ts$/, '.d.cts'), [`export type * from ${door} with ${mode};`, ...values, ''].join('\n'));
  writeFileSync(code.replace(/\.js$/, '.cjs'), `module.exports = require('./${basename(code)}');\n`);
}

/** The names of the classes in compiled files: they are types, too. */
export function classesIn(dist) {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.d.ts'));
  const found = files.flatMap((name) => [
    ...readFileSync(`${dist}/${name}`, 'utf8').matchAll(/^export declare (?:abstract )?class (\w+)/gm),
  ]);
  return new Set(found.map(([, name]) => name));
}
