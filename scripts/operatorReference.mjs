/** Renders pages of docs/reference from the comments of the sources: what each function of a door does, and its options. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const made = '<!-- Made from the comments of the sources by `npm run docs`: change those, not this. -->';

/** `ready`: the sections of the ready fan-outs, what all have in common, and the interface of their options. */
export function renderOperators(root, { about, sections, options }) {
  const interfaces = new Map(sourcesIn(root).flatMap(({ text }) => interfacesOf(text)));
  return `${made}

# Operators and sinks

Every operator and sink with its options. The guides are [in code](../in-code.md) and [files](../files.md). An unknown
option is refused when the function is called.

${renderDoors(root, { Operators: 'operators', Sinks: 'src/sinks' })}

## Ready fan-outs

${about}

${optionTable(fieldsOf(options, interfaces))}

${sections.join('\n\n')}
`;
}

export function renderFunctions(root) {
  const doors = {
    Client: 'src',
    Flows: 'src/flow',
    Stores: 'src/store',
    Sandbox: 'src/sandbox',
    'Many machines': 'src/bullmq',
    Tests: 'src/testing',
  };
  return `${made}

# Functions with options

Every other function that takes options. An unknown option is refused when the function is called. The guides are
[what it costs](../cost.md), [flows](../flows.md), [in code](../in-code.md) and [every night](../every-night.md).

${renderDoors(root, doors, ({ rows }) => rows.length > 0)}
`;
}

/** A part for each door, which is a folder by its title: the functions that it exports. */
function renderDoors(root, doors, isWanted = () => true) {
  const sources = sourcesIn(root);
  const interfaces = new Map(sources.flatMap(({ text }) => interfacesOf(text)));
  const documentedIn = (door) => {
    const text = readFileSync(join(root, door, 'index.ts'), 'utf8');
    const order = [...text.matchAll(/export \{([^}]*)\}/g)].flatMap(([, names]) => names.split(',').map((name) => name.trim()));
    return order
      .map((name) => ({
        name,
        text: sources.find(({ text }) => new RegExp(`^export (?:async )?function ${name}\\b`, 'm').test(text))?.text,
      }))
      .filter(({ text }) => text !== undefined)
      .map((source) => ({ ...source, ...documentationOf(source) }))
      .map((source) => ({ ...source, rows: fieldsOf(source.options, interfaces) }))
      .filter((source) => source.about !== undefined && isWanted(source));
  };
  const section = ({ name, about, rows, example }) => {
    const drawing = existsSync(join(root, `docs/marbles/${name}.svg`)) ? `![${name}](../marbles/${name}.svg)` : '';
    const code = example === '' ? '' : `\`\`\`ts\n${example}\n\`\`\``;
    return [`### ${name}`, drawing, about, code, rows.length === 0 ? '' : optionTable(rows)].filter((part) => part !== '').join('\n\n');
  };
  return Object.entries(doors)
    .map(([title, door]) => `## ${title}\n\n${documentedIn(door).map(section).join('\n\n')}`)
    .join('\n\n');
}

function sourcesIn(root) {
  return [...files(join(root, 'operators')), ...files(join(root, 'src'))].map((path) => ({
    file: basename(path, '.ts'),
    text: readFileSync(path, 'utf8'),
  }));
}

function optionTable(rows) {
  return ['| option | default | |', '|---|---|---|', ...rows].join('\n');
}

function files(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('index.ts'))
    .sort((one, other) => (one < other ? -1 : 1))
    .map((name) => join(folder, name));
}

/** The comment above a function, and the name of its options. */
function documentationOf({ name, text }) {
  const at = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*export (?:async )?function ${name}\\b`).exec(text);
  if (at === null) return { about: undefined };
  const lines = uncomment(at[1]);
  const fence = lines.replaceAll(/```ts\n([\s\S]*?)```/g, '');
  const [about, example = ''] = fence.split('@example\n');
  const inFence = /```ts\n([\s\S]*?)```/.exec(lines)?.[1] ?? '';
  const options = new RegExp(`export (?:async )?function ${name}\\b[^;]*?: (\\w+Options)\\b`).exec(text)?.[1];
  return { about: about.trim().replaceAll(/\{@link (\w+)\}/g, '`$1`'), example: (example || inFence).trim(), options };
}

function uncomment(comment) {
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .trim();
}

/** Each interface: its comment, what it extends, and its fields with their comments. */
export function interfacesOf(text) {
  return [
    ...text.matchAll(
      /(?:^\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^(?:export )?interface (\w+)(?:<[\s\S]*?>)?(?:\s+extends ([^{]+?))? \{(?:\}|\n([\s\S]*?)^\})/gm,
    ),
  ].map(([, about = '', name, bases = '', body = '']) => {
    const fields = [...body.matchAll(/(?:^ {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^ {2}readonly (\w+)\??: (?:(\w+Options)\b(?!\[))?/gm)].map(
      ([, comment = '', field, inside]) => ({
        field,
        inside,
        text: uncomment(comment).replaceAll('\n', ' '),
      }),
    );
    return [name, { about: uncomment(about).replaceAll('\n', ' '), bases: basesOf(bases), fields }];
  });
}

/** What an interface extends: each base, and which of its fields are taken. */
function basesOf(text) {
  const bases = text.matchAll(/(?:(Omit|Pick)<\s*)?(\w+)(?:<[^>]*>)?(?:,((?:\s*\|?\s*'\w+')+),?\s*>)?/g);
  return [...bases].map(([, how, name, fields = '']) => {
    const named = fields.match(/\w+/g) ?? [];
    return { name, takes: (field) => how === undefined || named.includes(field) === (how === 'Pick') };
  });
}

/** A row for each option of an interface. `outer`: the option that these are in, and a dot. */
function fieldsOf(name, interfaces, outer = '', takes = () => true) {
  const found = interfaces.get(name);
  if (found === undefined) return [];
  const own = found.fields.filter(({ field }) => takes(field));
  const rows = own.flatMap(({ field, inside, text }) => {
    const [about, fallback = ''] = text.split(/\s*@default\s*/);
    return [`| \`${outer}${field}\` | ${cell(fallback)} | ${cell(about)} |`, ...fieldsOf(inside, interfaces, `${outer}${field}.`)];
  });
  const isNew = (field) => !found.fields.some((one) => one.field === field);
  const inherited = found.bases.flatMap((base) =>
    fieldsOf(base.name, interfaces, outer, (field) => base.takes(field) && takes(field) && isNew(field)),
  );
  return [...rows, ...inherited];
}

function cell(text) {
  return text.trim().replaceAll('|', '\\|');
}
