type Library = Pick<typeof import('fast-xml-parser'), 'XMLParser' | 'XMLValidator'>;

let read: ((text: string) => unknown) | undefined;

/** Reads an XML text: elements are fields, and attributes begin with `@`. Values are texts. Throws if it isn't XML. */
export function readXml(text: string): unknown {
  return (read ??= makeReader(loadXml()))(text);
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
  });
  return (text) => {
    if (/^\s*<(?:!doctype\s+)?html[\s>]/i.test(text) || XMLValidator.validate(text) !== true) throw new SyntaxError('it is not XML');
    return parser.parse(text);
  };
}
