import { describe, expect, it } from 'vitest';
import { parseOptions } from '../../src/cli/parseOptions.ts';
import { UsageError } from '../../src/cli/Command.ts';

const table = {
  query: { type: 'string', about: '' },
  html: { type: 'boolean', about: '' },
  fault: { type: 'string', value: 'FAULT', multiple: true, about: '' },
} as const;
const parse = (...argv: string[]): ReturnType<typeof parseOptions<typeof table>> => parseOptions(argv, table, 'trawler x');
const refusal = async (...argv: string[]): Promise<readonly [string, string | undefined]> => {
  try {
    parse(...argv);
  } catch (error) {
    if (error instanceof UsageError) return [error.message, await error.hint()];
  }
  throw new Error('not refused');
};

describe('parseOptions', () => {
  it('takes a value after a space or an equals sign, and one that begins with a dash', () => {
    expect(parse('--query', 'a').values).toEqual({ query: 'a' });
    expect(parse('--query=a=b').values).toEqual({ query: 'a=b' });
    expect(parse('--query', '-33.8').values).toEqual({ query: '-33.8' });
    expect(parse('--query', '--html').values).toEqual({ query: '--html' });
    expect(parse('--query=').values).toEqual({ query: '' });
  });

  it('keeps arguments in order, before and after options', () => {
    expect(parse('a', '--html', 'b', '--', '--query').positionals).toEqual(['a', 'b', '--query']);
  });

  it('takes a switch with and without a value', () => {
    expect([parse('--html'), parse('--html=true'), parse('--html=false')].map(({ values }) => values.html)).toEqual([true, true, false]);
  });

  it('gathers an option that may come several times', () => {
    expect(parse('--fault', 'a', '--fault=b').values.fault).toEqual(['a', 'b']);
  });

  it('names the nearest option for one that it does not have', async () => {
    expect(await refusal('--qeury', 'a')).toEqual(['trawler x has no option --qeury.', 'Did you mean --query?']);
    expect(await refusal('--zzzzzzzz')).toEqual(['trawler x has no option --zzzzzzzz.', 'See: trawler x --help']);
    expect(await refusal('--__proto__', 'x')).toEqual(['trawler x has no option --__proto__.', 'See: trawler x --help']);
  });

  it('refuses a value that is missing, given twice, or of another kind', async () => {
    expect((await refusal('--query'))[0]).toBe('--query needs a value: --query VALUE');
    expect((await refusal('--query', 'a', '--query', 'b'))[0]).toBe('--query is given twice.');
    expect((await refusal('--html=yes'))[0]).toBe("--html is a switch: it is 'true' or 'false', not 'yes'.");
  });

  it('refuses the API key in every spelling, without repeating it', async () => {
    for (const name of ['--api-key', '--apiKey', '--api_key', '--key', '--x-api-key']) {
      const [message, hint] = await refusal(`${name}=sk-secret`);
      expect(message).toMatch(/^The API key is not taken from the command line/);
      expect(hint).toContain('TRAWLER_API_KEY');
      expect(message + hint).not.toContain('sk-secret');
    }
  });
});
