/** Renders docs/reference: a page for each operation from its data, a list of them all, and pages of all operators and functions. */
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { code, table } from './markdown.mjs';
import { renderFunctions, renderOperators } from './operatorReference.mjs';

const root = new URL('../', import.meta.url);
const made = '<!-- Made from the data of the operation by `npm run docs`: change that, not this. -->';
/** What examples ask for. The sandbox knows each of these; tokens and addresses have to come from a response. */
const samples = {
  query: 'coffee',
  ll: '@40.74,-73.98,14z',
  mauthors: 'ada',
  data_id: '0x1:0x2',
  author_id: 'LSsXyncAAAAJ',
  patent_id: 'patent/US10000000B2/en',
  url: 'https://example.com/ai-overview',
  page_token: 'a-token',
};

/** The pages by their path below docs/reference; `api` is the door `trawler`. */
export function renderReference(api) {
  const all = Object.values(api.operations);
  const pages = new Map([['README.md', renderList(all)]]);
  pages.set('events.md', renderEvents(api.clientEvents));
  pages.set('operators.md', renderOperators(fileURLToPath(root), readyFanOuts(api.searchService.fanOuts)));
  pages.set('functions.md', renderFunctions(fileURLToPath(root)));
  for (const operation of all) pages.set(`${operation.name}.md`, renderPage(operation, api));
  return pages;
}

/** A query with what is required, also for further pages, for an example. */
export function sampleQuery(operation, api) {
  let day = 1;
  const { needs = [] } = operation.spec.paging;
  const required = api.describeOperation(operation).params.filter(({ name, required }) => required || needs.includes(name));
  return Object.fromEntries(required.map(({ name }) => [name, valueOf(name, operation.params[name])]));

  function valueOf(name, { type, oneOf, format, min = 1 }) {
    if (format === 'date') return `2026-05-${String(day++).padStart(2, '0')}`;
    if (oneOf !== undefined) return oneOf[0];
    if (type === 'integer') return min;
    return type === 'boolean' ? true : (samples[name] ?? 'coffee');
  }
}

function renderEvents(events) {
  const rows = Object.entries(events).map(([type, { about }]) => [code(type), about]);
  return `<!-- Made from the declaration of the events by \`npm run docs\`: change that, not this. -->

# Events

\`client.events$\` emits these, and so does the diagnostics channel \`trawler\`. Narrow them by \`type\`; an editor lists the fields of each.
\`describeEvent(event)\` gives one line for a log, or undefined if the event isn't worth one.

${table(['type', 'when'], rows)}
`;
}

/** A section for each ready fan-out: what it brings, and from what. */
function readyFanOuts(fanOuts) {
  const partOf = ({ of, param, split, before }) => {
    const how = [
      param && `the parameter ${code(param)} of`,
      split && `each part between ${code(split)} of`,
      before && `what stands before ${code(before)} in`,
    ];
    return `${how.find((words) => words !== undefined)} ${code(of)}`;
  };
  const sourceOf = (source) => (typeof source === 'object' ? partOf(source) : code(source));
  const sections = Object.entries(fanOuts).map(([name, { call, about, rows, with: params, by, unlessZero, walks, expires }]) => {
    const from = rows === undefined ? 'a row' : rows === null ? 'a page' : `each entry of ${code(rows)} in a page`;
    const more = [
      by === undefined ? '' : `Once for each ${by.map(code).join(' and ')}.`,
      unlessZero === undefined ? '' : `Not where ${unlessZero.map(code).join(' or ')} is 0.`,
      walks === true ? 'All pages of a query; `maxPages` and `maxItems` limit them.' : 'One page for each query.',
      expires === true
        ? 'What it asks for expires soon: the option `source`, an operation of the client, repeats the query that gave it, ' +
          'and `expired` says by an error whether it has.'
        : '',
    ].filter((text) => text !== '');
    const asked = Object.entries(params).map(([param, source]) => [code(param), [source].flat().map(sourceOf).join(', else ')]);
    return [
      `### ${name}`,
      `![${name}](../marbles/${name}.svg)`,
      `From ${from} to the pages of [${call}](${call}.md): ${about}. ${more.join(' ')}`,
      table(['parameter', 'from'], asked),
    ].join('\n\n');
  });
  const first =
    '`name(client, options)` is an operator, and `"call": "name"` a stage of a flow. Each id is requested once, and a row without one ' +
    'is skipped. A page knows its row as `parent`. Of several sources, the first with a value is used.';
  return { about: first, sections, options: 'ChildWalkOptions' };
}

function renderList(all) {
  const groups = [...new Set(all.map(({ spec }) => spec.group))];
  const sections = groups.map((group) => {
    const rows = all
      .filter(({ spec }) => spec.group === group)
      .map(({ name, spec }) => [
        `[${name}](${name}.md)`,
        spec.about,
        spec.rows === null ? 'the response itself' : code(spec.rows),
        walkOf(spec),
      ]);
    return `## ${group}\n\n${table(['operation', 'gives', 'rows', 'walk'], rows)}`;
  });
  return `${made}

# Operations

${all.length} operations, each a factory of a client: \`client.mapsReviews({ data_id })\` is an Observable of one page. Parameters and
fields have the service's own names. Each page here also stands behind \`trawler operations NAME\`.

Also here: [operators and sinks](operators.md), [functions with options](functions.md), the [events](events.md) of a client, [how a service is described](services.md), and [what only services of search data say](search-services.md). Every export with its
types: in a clone, run \`npm --prefix reference ci && npm --prefix reference run build\`, then open \`reference/out/index.html\`.

${sections.join('\n\n')}

## Every response

A page is \`{ operation, query, data, items, requestId, timestamp }\`: \`data\` is the whole response, fields that nobody documented
included; \`items\` are its rows. Fields marked \`?\` may be absent. A list that is missing, or rows of another shape, are
[drift](../cost.md#responses-that-changed): reported, and never taken for the end of a walk.
`;
}

function renderPage(operation, api) {
  const { name, spec } = operation;
  const { path, about, params, rules, lists, paging } = api.describeOperation(operation);
  const sections = [
    `${made}\n\n# ${name}\n\n${about} \`GET ${path}\`, behind the path prefix.`,
    examples(operation, api),
    `## Parameters\n\n${table(['parameter', 'type', 'default', 'meaning', 'allowed'], params.map(paramRow))}`,
    rules.length === 0
      ? ''
      : `## Rules\n\nBroken ones are an \`InvalidQueryError\` before any request is sent.\n\n${bullets(rules.map(sentence))}`,
    `## Paging\n\n${pagingText(spec, paging)}`,
    rowsSection(operation, lists, api),
    ...responses(operation, api),
    '[All operations](README.md)',
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function examples(operation, api) {
  const { name, spec } = operation;
  const query = sampleQuery(operation, api);
  const asText = `{ ${Object.entries(query)
    .map(([param, value]) => `${param}: ${typeof value === 'string' ? `'${value}'` : value}`)
    .join(', ')} }`;
  const options = Object.entries(query)
    .map(([param, value]) => ` --${param} ${value}`)
    .join('');
  const walk = { cursor: 'expandCursor', offset: 'offsetPages', none: undefined }[spec.paging.kind];
  const imports =
    walk === undefined
      ? ''
      : `\nimport { ${walk === 'expandCursor' ? 'expandCursor, items' : 'items, offsetPages'} } from 'trawler/operators';`;
  const walked =
    walk === undefined
      ? ''
      : `
of(${asText})
  .pipe(${walk}(client.${name}, { maxPages: 3 }), items())
  .subscribe((row) => console.log(row)); // the rows of up to three pages
`;
  return `\`\`\`js
import { createClient } from 'trawler';${imports}
import { firstValueFrom${walk === undefined ? '' : ', of'} } from 'rxjs';

const client = createClient(); // TRAWLER_BASE_URL and TRAWLER_API_KEY
const page = await firstValueFrom(client.${name}(${asText}));
console.log(page.items, page.data);
${walked}\`\`\`

\`\`\`sh
trawler call ${name}${options}${walk === undefined ? '' : ' --pages 3'}
\`\`\``;
}

function paramRow({ name, type, required, default: standard, allowed, about, from }) {
  const meaning = from === '' ? about : `${about}; from ${from}`;
  return [code(name), required ? `${type}, **required**` : type, standard === undefined ? '' : code(standard), meaning, allowed];
}

function pagingText(spec, paging) {
  if (spec.paging.kind === 'none') return 'One page only.';
  const walk = spec.paging.kind === 'cursor' ? 'expandCursor' : 'offsetPages';
  return `[\`${walk}\`](../when-it-stops.md#how-a-walk-ends) walks it, one request a page: ${paging}.`;
}

function walkOf({ paging }) {
  if (paging.kind === 'none') return 'one page';
  return paging.kind === 'cursor' ? `\`expandCursor\`, by ${code(paging.param)}` : `\`offsetPages\`, by ${code(paging.param)}`;
}

function rowsSection(operation, lists, api) {
  const { rows: list } = operation.spec;
  const columns = api.columnsOf(operation);
  const which = list === null ? 'The response itself is the one row.' : `The list ${code(list)} of the response.`;
  const listed =
    columns.length === 0
      ? 'What is in a row isn’t documented, so a table needs `columns`.'
      : `As a table it has ${columns.length} columns, texts unless it says otherwise: ${columns
          .map(({ path, type }) => (type === 'string' ? code(path) : `${code(path)} (${type})`))
          .join(', ')}.`;
  const others = lists.filter((other) => !other.default);
  const more =
    others.length === 0
      ? ''
      : `\n\n## Other lists\n\n\`items({ rows: '${others[0].path}' })\` reads another list of the same page, at no cost.\n\n${table(
          ['list', 'columns'],
          others.map(({ path, columns: names }) => [code(path), names.length === 0 ? 'not documented' : names.map(code).join(', ')]),
        )}`;
  return `## Rows\n\n${which} ${listed}${more}${operation.spec.answer === undefined ? '' : answerText}`;
}

const answerText = `

## Tables

In a flow, \`"rows": "blocks"\`, \`"sources"\` and \`"citations"\` make tables of the answer: see [generated answers](../flow-keys.md#generated-answers). In a
pipe, \`answerBlocks(data)\`, \`answerSources(data)\` and \`answerCitations(data)\` do.`;

/** The fields of each response: one, or one more for each value of a parameter that picks among them. */
function responses(operation, api) {
  const schema = api.responseJsonSchema(operation);
  const { variants } = operation.spec;
  const head = ['field', 'type', ''];
  if (variants === undefined) return [`## Response\n\n${table(head, fields(schema, ''))}`];
  const [standard, ...others] = schema.anyOf.map((one) => fields(one, ''));
  const same = new Set(standard.map(String));
  return [
    `## Response\n\n${table(head, standard)}`,
    ...Object.keys(variants.values).map((value, i) => {
      const changed = others[i].filter((row) => !same.has(String(row)));
      return `## Response with \`${variants.param}: '${value}'\`\n\nAs above, but for these:\n\n${table(head, changed)}`;
    }),
  ];
}

function fields(schema, before) {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${before}${name}`;
    const optional = required.has(name) ? '' : '?';
    return [[code(`${path}${optional}`), typeOf(field), field.description ?? ''], ...below(field, path)];
  });
}

function below(schema, path) {
  if (schema.items !== undefined) return below(schema.items, `${path}[]`);
  if (schema.anyOf !== undefined) return once(schema.anyOf.flatMap((one) => below(one, path)));
  const named = fields(schema, `${path}.`);
  const rest = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  return rest === undefined ? named : [...named, [code(`${path}.<key>`), typeOf(rest), ''], ...below(rest, `${path}.<key>`)];
}

/** A field of several alternatives once. */
function once(rows) {
  const seen = new Map();
  for (const row of rows) {
    const same = seen.get(row[0]);
    if (same === undefined) seen.set(row[0], row);
    else if (!same[1].split(' or ').includes(row[1])) seen.set(row[0], [row[0], `${same[1]} or ${row[1]}`, same[2]]);
  }
  return [...seen.values()];
}

function typeOf(schema) {
  const { type, items, anyOf, enum: values, examples: known } = schema;
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (values !== undefined) return values.map((value) => code(`'${value}'`)).join(' or ');
  if (known !== undefined) return `${known.map((value) => code(`'${value}'`)).join(', ')} or another text`;
  if (items !== undefined) return `list of ${typeOf(items)}`;
  if (type === undefined) return 'not documented';
  return [type].flat().join(' or ');
}

function bullets(texts) {
  return texts.map((text) => `- ${text}`).join('\n');
}

function sentence(text) {
  return text.endsWith('.') ? text : `${text}.`;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const pages = renderReference(await import(new URL('dist/src/index.js', root)));
  const folder = fileURLToPath(new URL('docs/reference/', root));
  await mkdir(folder, { recursive: true });
  for (const [path, text] of pages) await writeFile(`${folder}${path}`, text);
  console.log(`docs/reference: ${pages.size} pages`);
}
