/** Renders docs/reference/operators.md from the comments of the sources: what each operator does, and its options. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const made = '<!-- Made from the comments of the sources by `npm run docs`: change those, not this. -->';

export function renderOperators(root) {
  const sources = [...files(join(root, 'operators')), ...files(join(root, 'src/sinks'))].map((path) => ({
    name: basename(path, '.ts'),
    sink: path.includes('sinks'),
    text: readFileSync(path, 'utf8'),
  }));
  const interfaces = new Map(sources.flatMap(({ text }) => interfacesOf(text)));
  const doors = ['operators/index.ts', 'src/sinks/index.ts'].map((path) => readFileSync(join(root, path), 'utf8')).join('\n');
  const exported = new Set([...doors.matchAll(/export \{([^}]*)\}/g)].flatMap(([, names]) => names.split(',').map((name) => name.trim())));
  const order = [...exported];
  const documented = sources
    .toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name))
    .filter(({ name, text }) => exported.has(name) && new RegExp(`^export function ${name}\\b`, 'm').test(text))
    .map((source) => ({ ...source, ...documentationOf(source) }))
    .filter(({ about }) => about !== undefined);
  const section = ({ name, about, options, example }) => {
    const drawing = existsSync(join(root, `docs/marbles/${name}.svg`)) ? `![${name}](../marbles/${name}.svg)` : '';
    const code = example === '' ? '' : `\`\`\`ts\n${example}\n\`\`\``;
    const rows = fieldsOf(options, interfaces);
    const table = rows.length === 0 ? '' : ['| option | default | |', '|---|---|---|', ...rows].join('\n');
    return [`### ${name}`, drawing, about, code, table].filter((part) => part !== '').join('\n\n');
  };
  const part = (title, list) => `## ${title}\n\n${list.map(section).join('\n\n')}`;
  return `${made}

# Operators and sinks

Every operator and sink with its options. The guides are [operators](../operators.md) and [files](../files.md). An unknown
option is refused when the function is called.

${part(
  'Operators',
  documented.filter(({ sink }) => !sink),
)}

${part(
  'Sinks',
  documented.filter(({ sink }) => sink),
)}
`;
}

function files(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('index.ts'))
    .sort((one, other) => (one < other ? -1 : 1))
    .map((name) => join(folder, name));
}

/** The comment above a function, and the name of its options. */
function documentationOf({ name, text }) {
  const at = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*export function ${name}\\b`).exec(text);
  if (at === null) return { about: undefined };
  const lines = uncomment(at[1]);
  const fence = lines.replaceAll(/```ts\n([\s\S]*?)```/g, '');
  const [about, example = ''] = fence.split('@example\n');
  const inFence = /```ts\n([\s\S]*?)```/.exec(lines)?.[1] ?? '';
  const options = new RegExp(`export function ${name}\\b[\\s\\S]*?\\boptions\\??: (\\w+)`).exec(text)?.[1];
  return { about: about.trim().replaceAll(/\{@link (\w+)\}/g, '`$1`'), example: (example || inFence).trim(), options };
}

function uncomment(comment) {
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .trim();
}

/** Each interface: what it extends, and its fields with their comments. */
export function interfacesOf(text) {
  return [...text.matchAll(/^export interface (\w+)(?:<[^{]*>)?(?: extends ([^{]+?))? \{\n([\s\S]*?)^\}/gm)].map(
    ([, name, bases = '', body]) => {
      const fields = [...body.matchAll(/(?:^ {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^ {2}readonly (\w+)\??:/gm)].map(
        ([, comment = '', field]) => ({
          field,
          text: uncomment(comment).replaceAll('\n', ' '),
        }),
      );
      return [name, { bases: bases.split(',').map((base) => base.trim().replace(/^(?:Omit|Pick)?<?(\w+).*$/, '$1')), fields }];
    },
  );
}

function fieldsOf(name, interfaces) {
  const found = interfaces.get(name);
  if (found === undefined) return [];
  const own = found.fields.map(({ field, text }) => {
    const [about, fallback = ''] = text.split(/\s*@default\s*/);
    return `| \`${field}\` | ${cell(fallback)} | ${cell(about)} |`;
  });
  return [...own, ...found.bases.flatMap((base) => fieldsOf(base, interfaces))];
}

function cell(text) {
  return text.trim().replaceAll('|', '\\|');
}
