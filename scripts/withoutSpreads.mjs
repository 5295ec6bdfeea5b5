import { parseAst } from 'rolldown/parseAst';

/**
 * A plugin that writes `Object.assign({}, a, { b })` for `{ ...a, b }`. In Node 20 each object that gets another property after a spread
 * gets a hidden class of its own. That takes 900 ns instead of 140, and whoever reads such objects never sees the same class twice.
 * Only a key `__proto__` would make a difference, and no world has one.
 */
export const withoutSpreads = {
  name: 'without spreads',
  renderChunk(code) {
    const edits = [];
    visit(parseAst(code), edits);
    edits.sort(([one], [other]) => one - other);
    let [text, at] = ['', 0];
    for (const [from, to, by] of edits) {
      text += code.slice(at, from) + by;
      at = to;
    }
    return { code: text + code.slice(at) };
  },
};

function visit(node, edits) {
  if (node.type === 'ObjectExpression') assign(node, edits);
  for (const value of Object.values(node)) if (typeof value === 'object' && value !== null) visit(value, edits);
}

const isSpread = ({ type }) => type === 'SpreadElement';

function assign({ start, end, properties }, edits) {
  if (properties.length < 2 || !properties.some(isSpread) || properties.some(({ kind = 'init' }) => kind !== 'init')) return;
  edits.push([start, start + 1, `Object.assign({${isSpread(properties[0]) ? '}, ' : ''}`]);
  for (const [index, one] of properties.entries()) {
    const next = properties[index + 1];
    if (isSpread(one)) edits.push([one.start, one.start + '...'.length, '']);
    if (next !== undefined && isSpread(one) !== isSpread(next))
      edits.push(isSpread(next) ? [one.end, one.end, '}'] : [next.start, next.start, '{']);
  }
  edits.push([end - 1, end, isSpread(properties.at(-1)) ? ')' : '})']);
}
