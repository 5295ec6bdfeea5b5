/** Every door's public types as one text, from the compiled declarations. A change of it is a change of what others compile against. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Types of the built-in operations are made from their data, which the reference shows. */
const left = /^src\/search\/operations\//;

/** The text: what each door exports, then each declaration that these lead to, without comments. `dist`: the compiled package. */
export function publicTypes(dist, doors) {
  const files = new Map();
  const declared = new Map(); // 'file name' -> the text
  const sections = Object.entries(doors).map(([door, path]) => {
    const names = [...exportsOf(join(dist, path))].sort(([one], [other]) => compare(one, other));
    for (const [, at] of names) follow(at);
    return `## ${door}\n\n${names.map(([name]) => name).join(', ')}`;
  });
  const all = [...declared].sort(([one], [other]) => compare(one.split(' ')[1], other.split(' ')[1]) || compare(one, other));
  return `${sections.join('\n\n')}\n\n## Declarations\n\n${all.map(([, text]) => text).join('\n\n')}\n`;

  /** The declarations of a file by name, what it imports, and what it exports from elsewhere. */
  function read(path) {
    let file = files.get(path);
    if (file === undefined) files.set(path, (file = parse(readFileSync(path, 'utf8'), path)));
    return file;
  }

  /** What a file exports: the name, and where it is declared. */
  function exportsOf(path) {
    const { own, passed, imported, stars } = read(path);
    const found = new Map();
    for (const star of stars) for (const [name, at] of exportsOf(star)) found.set(name, at);
    for (const [name, { isExported }] of own) if (isExported) found.set(name, { path, name });
    for (const [name, { from, original }] of passed) {
      const through = from === path ? imported.get(original) : undefined; // it exports what it imports
      if (from === path && through === undefined) found.set(name, { path, name: original });
      else found.set(name, whereIs(through?.from ?? from, through?.original ?? original));
    }
    return found;
  }

  function whereIs(path, name) {
    if (path === undefined) return undefined;
    return exportsOf(path).get(name) ?? (read(path).own.has(name) ? { path, name } : undefined);
  }

  function follow(at) {
    if (at === undefined) return;
    const { own, imported } = read(at.path);
    const file = relative(dist, at.path).replaceAll('\\', '/'); // of Windows
    const key = `${file} ${at.name}`;
    const found = own.get(at.name);
    if (found === undefined || declared.has(key) || left.test(file)) return;
    declared.set(key, found.text);
    for (const name of new Set(found.text.match(/[A-Za-z_$][\w$]*/g))) {
      if (name !== at.name && own.has(name)) follow({ path: at.path, name });
      const from = imported.get(name);
      if (from !== undefined) follow(whereIs(from.from, from.original));
    }
  }
}

function parse(source, path) {
  const file = { own: new Map(), imported: new Map(), passed: new Map(), stars: [] };
  for (const text of statementsOf(source)) {
    const [, list, from] = /^(?:import|export)(?: type)? \{([^}]*)\}(?: from '([^']+)')?;$/s.exec(text) ?? [];
    const [, star] = /^export \* from '([^']+)';$/.exec(text) ?? [];
    const [, exported, name] =
      /^(export )?(?:declare )?(?:abstract )?(?:interface|class|function|const|type|namespace|enum) ([\w$]+)/.exec(text) ?? [];
    if (star !== undefined) file.stars.push(resolved(star));
    else if (list !== undefined)
      for (const one of list.split(',').map((part) => part.trim().replace(/^type /, ''))) {
        if (one === '') continue;
        const [original, name = original] = one.split(' as ');
        const to = text.startsWith('import') ? file.imported : file.passed;
        to.set(name, { from: from === undefined ? path : resolved(from), original });
      }
    else if (name !== undefined) {
      const before = file.own.get(name); // overloads, and an interface beside a const
      const shown = text.replace(/^export /, '');
      file.own.set(name, {
        isExported: exported !== undefined || before?.isExported === true,
        text: before === undefined ? shown : `${before.text}\n${shown}`,
      });
    }
  }
  return file;

  /** undefined for another package. */
  function resolved(from) {
    return from.startsWith('.') ? join(dirname(path), from.replace(/\.[jt]s$/, '.d.ts')) : undefined;
  }
}

/** The statements of a declaration file, without comments. */
function statementsOf(source) {
  const statements = [];
  let text = '';
  let depth = 0;
  for (const [token] of source.matchAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|[\s\S]/g)) {
    if (token.startsWith('/*') || token.startsWith('//')) continue;
    text += token;
    if ('{(['.includes(token)) depth += 1;
    else if ('})]'.includes(token)) depth -= 1;
    const isBlock = token === '}' && /^\s*(?:export )?(?:declare )?(?:abstract )?(?:interface|class|namespace|enum) /.test(text);
    if (depth > 0 || (token !== ';' && !isBlock)) continue;
    statements.push(
      text
        .trim()
        .replaceAll(/\n\s*\n/g, '\n')
        .replaceAll(/[ \t]+$/gm, ''),
    );
    text = '';
  }
  return statements;
}

function compare(one, other) {
  return one < other ? -1 : one > other ? 1 : 0;
}
