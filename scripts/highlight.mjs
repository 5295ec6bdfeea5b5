const script = {
  comment: String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`,
  string: String.raw`'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|${'`'}(?:[^${'`'}\\]|\\.)*${'`'}`,
  keyword: String.raw`\b(?:import|from|export|default|const|let|function|return|await|async|for|if|else|new|class|extends|throw|try|catch|finally|type|interface|readonly|typeof|using|true|false|null|undefined)\b`,
  number: String.raw`\b\d[\d_]*(?:\.\d+)?\b`,
};
const grammars = {
  js: script,
  ts: script,
  json: {
    key: String.raw`"(?:[^"\\\n]|\\.)*"(?=\s*:)`,
    string: script.string,
    keyword: String.raw`\b(?:true|false|null)\b`,
    number: script.number,
  },
  sh: {
    comment: String.raw`(?<=^|\s)#[^\n]*`,
    string: String.raw`'[^']*'|"(?:[^"\\]|\\.)*"`,
    keyword: String.raw`(?<=^|\n|\||&& )\s*(?:npm|npx|node|trawler|export|jq|duckdb|docker|cp)\b`,
    key: String.raw`(?<=\s)--?[a-zA-Z][\w-]*`,
  },
};

/** Code as HTML with its comments, strings, keywords and numbers marked; as plain text in a language that isn't known. */
export function highlight(code, language, escape) {
  const grammar = grammars[language];
  if (grammar === undefined) return escape(code);
  const token = new RegExp(
    Object.entries(grammar)
      .map(([kind, pattern]) => `(?<${kind}>${pattern})`)
      .join('|'),
    'g',
  );
  let html = '';
  let at = 0;
  for (const match of code.matchAll(token)) {
    const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
    html += `${escape(code.slice(at, match.index))}<span class="${kind}">${escape(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return html + escape(code.slice(at));
}
