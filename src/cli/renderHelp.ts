import type { Command, OptionTable } from './Command.ts';
import { wrapText } from './text/textWidth.ts';

/** As wide as the terminal, within reason. */
const widthOn = (screen = 80): number => Math.max(50, Math.min(screen, 80));

/** A command's help. `more`: examples for the service it calls. */
export function renderHelp(command: Command, more: Command['examples'] = [], screen?: number): string {
  const columns = widthOn(screen);
  const options = { ...command.options, help: { type: 'boolean', about: 'show this' } } as const;
  const examples = [...command.examples, ...more].map(([line, about]) => `  ${line}\n      ${wrapText(about, columns - 6, '      ')}`);
  return [
    wrapText(`trawler ${command.name} ${command.usage}`.trimEnd(), columns, '  '),
    '',
    wrapText(command.about, columns),
    '',
    ...groupsOf(options, command.groups).flatMap(([heading, group]) => [heading, renderOptions(group, screen), '']),
    'Examples',
    ...examples,
    '',
  ].join('\n');
}

function groupsOf(options: OptionTable, groups: Command['groups']): readonly (readonly [heading: string, OptionTable])[] {
  if (groups === undefined) return [['Options', options]];
  const pick = (names: readonly string[]): OptionTable => Object.fromEntries(names.map((name) => [name, options[name]!]));
  const grouped = Object.entries(groups).map(([heading, names]) => [heading, pick(names)] as const);
  return [...grouped, ['Help', pick(['help'])]];
}

/** Options in two columns. An option that is too long for the first column gets its own line. */
export function renderOptions(options: OptionTable, screen?: number): string {
  const width = 26;
  const lines = Object.entries(options).map(([name, { value, about, number }]) => {
    const left = `  --${name}${value === undefined ? '' : ` ${value}`}`;
    const standard = typeof number?.standard === 'number' && number.standard !== Infinity ? ` (${number.standard})` : '';
    const right = wrapText(about + standard, widthOn(screen) - width, ' '.repeat(width));
    return left.length < width ? left.padEnd(width) + right : `${left}\n${' '.repeat(width)}${right}`;
  });
  return lines.join('\n');
}

/** Whether an argument asks for help. */
export function isHelp(arg: string): boolean {
  return arg === '--help' || arg === '-h';
}
