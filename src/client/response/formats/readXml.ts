type Library = Pick<typeof import('fast-xml-parser'), 'XMLParser' | 'XMLValidator'>;

let read: ((text: string) => unknown) | undefined;
const contents = new WeakMap<object, readonly XmlNode[]>();

/**
 * Reads an XML text: elements are fields, and attributes begin with `@`. Values are texts. Beside attributes or elements, the text
 * of an element is its `#text`, with the texts of the elements in it. Throws if it isn't XML.
 */
export function readXml(text: string): unknown {
  return (read ??= makeReader(loadXml()))(text);
}

/** All text of an element with attributes or elements in it, without them. undefined: it isn't one. */
export function textOfElement(element: object): string | undefined {
  const content = contents.get(element);
  return content && textIn(content);
}

/** Loads the library, which is installed only by those who need it. */
export function loadXml(): Library {
  try {
    return process.getBuiltinModule('node:module').createRequire(import.meta.url)('fast-xml-parser') as Library;
  } catch (cause) {
    throw new Error("format: 'xml' needs one more package: npm install fast-xml-parser", { cause });
  }
}

function makeReader({ XMLParser, XMLValidator }: Library): (text: string) => unknown {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    parseTagValue: false,
    parseAttributeValue: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
    htmlEntities: true, // &#233; too
    preserveOrder: true,
    trimValues: false,
    cdataPropName: cdata,
  });
  return (text) => {
    if (/^\s*<(?:!doctype\s+)?html[\s>]/i.test(text) || XMLValidator.validate(text) !== true) throw new SyntaxError('it is not XML');
    return valueOf(parser.parse(text) as readonly XmlNode[]);
  };
}

const cdata = '#cdata';
const ownText = '#text';

/** An element with its content, or a text; and the attributes. The parser gives them in their order. */
interface XmlNode {
  readonly ':@'?: { readonly [attribute: string]: string };
  readonly [name: string]: unknown;
}

/** An element by its content: text, or an object where it has attributes or elements. */
function valueOf(content: readonly XmlNode[], attributes: { readonly [attribute: string]: string } = {}): unknown {
  const fields = new Map<string, unknown>(Object.entries(attributes));
  let hasElements = false;
  let hasText = false;
  for (const node of content) {
    const { name, inner } = inNode(node);
    if (typeof inner === 'string' || name === cdata) {
      hasText ||= typeof inner !== 'string' || inner.trim() !== '';
      continue;
    }
    hasElements = true;
    const value = valueOf(inner, node[':@']);
    const before = fields.get(name);
    if (before === undefined) fields.set(name, value);
    else if (Array.isArray(before)) before.push(value);
    else fields.set(name, [before, value]);
  }
  if (!hasElements && fields.size === 0) return textIn(content);
  if (hasText) fields.set(ownText, textIn(content));
  const value = Object.fromEntries(fields);
  contents.set(value, content);
  return value;
}

function inNode(node: XmlNode): { readonly name: string; readonly inner: string | readonly XmlNode[] } {
  const [name, inner] = Object.entries(node).find(([key]) => key !== ':@')!;
  return { name, inner: inner as string | readonly XmlNode[] };
}

/** The text in a content, without the blanks at its ends, which are of the layout. Those in a CDATA section aren't. */
function textIn(content: readonly XmlNode[]): string {
  const parts = [...partsOf(content)];
  const first = parts.findIndex(holdsText);
  const last = parts.findLastIndex(holdsText);
  return parts
    .slice(first, last + 1)
    .map(({ text, exact }, index, { length }) => {
      const from = index === 0 && !exact ? text.trimStart() : text;
      return index === length - 1 && !exact ? from.trimEnd() : from;
    })
    .join('');
}

interface TextPart {
  readonly text: string;
  readonly exact: boolean;
}

function holdsText({ text, exact }: TextPart): boolean {
  return exact || text.trim() !== '';
}

function* partsOf(content: readonly XmlNode[], exact: boolean = false): Generator<TextPart> {
  for (const node of content) {
    const { name, inner } = inNode(node);
    if (typeof inner === 'string') yield { text: inner, exact };
    else yield* partsOf(inner, name === cdata);
  }
}
