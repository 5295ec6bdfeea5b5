import type { OperationSpec } from '../contract/Operation.ts';

/** A document as the body of a response. What a format can't hold is JSON, such as an error in place of a table. */
export function bodyText({ format = 'json', response }: OperationSpec, document: unknown): string {
  if (format === 'xml' && typeof document === 'object' && document !== null) return elements(document);
  if (!Array.isArray(document) || format === 'json') return JSON.stringify(document);
  if (format === 'ndjson') return document.map((row) => `${JSON.stringify(row)}\n`).join('');
  const [shape = {}] = Array.isArray(response) ? (response as readonly object[]) : []; // a table without rows has its heading, too
  const names = Object.keys(shape).map((name) => name.replace(/\?$/, ''));
  const lines = document.map((row: { readonly [name: string]: unknown }) => names.map((name) => row[name]));
  return [names, ...lines].map((line) => `${line.map(cell).join(',')}\n`).join('');
}

function cell(value: unknown): string {
  const text = textOf(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function elements(document: object): string {
  return Object.entries(document)
    .filter(([name]) => !name.startsWith('@'))
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one: unknown) => element(name, one)))
    .join('');
}

function element(name: string, value: unknown): string {
  if (typeof value !== 'object' || value === null) return name === '#text' ? escaped(value) : `<${name}>${escaped(value)}</${name}>`;
  const attributes = Object.entries(value).filter(([field]) => field.startsWith('@'));
  return `<${name}${attributes.map(([field, text]) => ` ${field.slice(1)}="${escaped(text)}"`).join('')}>${elements(value)}</${name}>`;
}

function escaped(value: unknown): string {
  return textOf(value).replaceAll(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);
}
