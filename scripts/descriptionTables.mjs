/** Renders the fields of the description of a service: what each takes, from its table, and what it means, from its comment. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { code, table } from './markdown.mjs';
import { interfacesOf } from './operatorReference.mjs';

/** The tables of what every service may say, and those of what only services of search data do. `load` imports a compiled module. */
export async function descriptionTables(root, load) {
  const { accountFields, tokenFields, limitFields, fanOutFields, serviceFields } = await load('src/contract/language/serviceFields.js');
  const { envelopeFields, failureFields, operationFields, paramFields } = await load('src/contract/language/operationFields.js');
  const search = await load('src/contract/language/searchFields.js');
  const sections = [
    ['A service', without(serviceFields, { examples: true })],
    ['account', without(accountFields, search.searchAccount)],
    ['token', tokenFields],
    ['envelope', without(envelopeFields, search.searchEnvelope)],
    ['An entry of failures', failureFields],
    ...Object.entries(limitFields).map(([field, fields]) => [`A limit: { ${field} }`, fields]),
    ['An entry of fanOuts', without(fanOutFields, search.searchFanOut)],
    ['An operation', without(operationFields, search.searchOperation)],
    ['An entry of params', without(paramFields, search.searchParam)],
  ];
  const ofSearch = [
    ['An operation', { kinds: search.searchOperation }],
    ['splits', search.splitsFields],
    ['An entry of params', { kinds: search.searchParam }],
    ['An entry of fanOuts', { kinds: search.searchFanOut }],
    ['A source in `with`, in place of a text', search.partFields],
    ['envelope', { kinds: search.searchEnvelope }],
    ['account', { kinds: search.searchAccount }],
  ];
  const commentsOf = commentsIn(root);
  const parts = [accountFields, envelopeFields, fanOutFields, paramFields];
  const own = new Set([...parts, ...[...sections, ...ofSearch].map(([, fields]) => fields)]);
  const rowsOf = (fields, outer) => {
    const meanings = commentsOf(fields).fields;
    return Object.entries(fields.kinds).flatMap(([field, { takes, more }]) => {
      if (field === 'kind') return []; // the heading says it
      const [about, standard = ''] = meanings.get(field).split(/\s*@default\s*/);
      const isInline = more.inside?.kinds !== undefined && !own.has(more.inside);
      const row = [code(`${outer}${field}`), takes, more.isNeeded === true ? '**needed**' : standard, about];
      return [row, ...(isInline ? rowsOf(more.inside, `${outer}${field}.`) : [])];
    });
  };
  const render = ([title, fields]) => {
    const { about } = commentsOf(fields);
    const rows = rowsOf(fields, '');
    const count = Object.keys(fields.kinds).filter((field) => field !== 'kind').length;
    const parts = [
      `### ${title}`,
      count === 0 ? about : `${about} ${count === 1 ? 'One field.' : `${count} fields.`}`,
      rows.length === 0 ? '' : table(['field', 'takes', 'default', 'meaning'], rows),
    ];
    return parts.filter((part) => part !== '').join('\n\n');
  };
  return [sections, ofSearch].map((some) => some.map(render).join('\n\n'));
}

/** A table without these fields. */
function without({ kinds }, left) {
  return { kinds: Object.fromEntries(Object.entries(kinds).filter(([field]) => !(field in left))) };
}

function isSame(one, other) {
  return one.length === other.length && one.every((field) => other.includes(field));
}

/** Finds the interface with the fields of a table: its comment, and those of its fields by name. */
export function commentsIn(root) {
  const sources = ['operators', 'src/contract'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => readFileSync(join(root, folder, path), 'utf8')),
  );
  const interfaces = new Map(sources.flatMap(interfacesOf));
  const fieldsOf = (name) => {
    const { bases = [], fields = [] } = interfaces.get(name) ?? {};
    const ours = fields.filter(({ text }) => !text.includes('It is no word of descriptions'));
    return [...bases.flatMap((base) => fieldsOf(base.name)), ...ours.map(({ field, text }) => [field, text])];
  };
  const comments = [...interfaces].map(([name, { about }]) => ({ about, fields: new Map(fieldsOf(name)) }));
  const said = ({ fields }) => [...fields.values()].every((text) => text !== '');
  return ({ kinds }) => {
    const names = Object.keys(kinds);
    const alike = comments.filter(({ fields }) => isSame([...fields.keys()], names));
    // Interfaces of something else may have the same fields, and a part of one is a section, too.
    return alike.find(said) ?? alike[0] ?? comments.find(({ fields }) => names.every((name) => fields.has(name)));
  };
}
