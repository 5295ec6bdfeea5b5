import { chooseService } from '../chooseService.ts';
import { type Command, ExitCode, UsageError } from '../Command.ts';
import { clientFlags } from '../openClient.ts';
import { parseOptions } from '../parseOptions.ts';

const { sandbox: _, day: __, 'max-requests': ___, ...clientOptions } = clientFlags;

const options = {
  folder: { type: 'string', value: 'DIR', about: 'where quotes and runs are kept (trawler-runs)' },
  ...clientOptions,
} as const;

export const mcp: Command = {
  name: 'mcp',
  overview: [14, 'let an agent build datasets within a budget (MCP)'],
  usage: '[options]',
  about:
    'Serves seven tools to an agent, as an MCP server on standard input and output: describe, check, quote, start, status, cancel, ' +
    'query. Nothing is spent without a quote, and no run sends more than it was given. Name a ledger in TRAWLER_LEDGER and set a limit ' +
    'there, so that all quotes and runs together keep to it. Needs @modelcontextprotocol/server.',
  options,
  examples: [
    ['trawler mcp --folder agent', 'keeps quotes and runs in the folder agent'],
    ['TRAWLER_LEDGER=ledger trawler mcp --env .env', 'with the key of .env, within the limits of a ledger'],
  ],
  async run(argv, io) {
    const { values, positionals } = parseOptions(argv, options, 'trawler mcp');
    if (positionals.length > 0) throw new UsageError(`trawler mcp takes options only, not '${positionals[0]}'.`);
    const { folder = 'trawler-runs', ...client } = values;
    const service = await chooseService(values.service);
    const [{ AgentRuns }, { serveTools }, { hiding }] = await Promise.all([
      import('../mcp/AgentRuns.ts'),
      import('../mcp/serveTools.ts'),
      import('../mcp/toolText.ts'),
    ]);
    if (!io.env['TRAWLER_LEDGER'])
      io.stderr.write('TRAWLER_LEDGER is not set, so only each quote is limited, and not all of them together. See docs/cli.md.\n');
    const { apiKey, secrets } = (await import('../../contract/index.ts')).variablesOf(service);
    const variables = [apiKey, ...Object.values(secrets)];
    const runs = new AgentRuns({ folder, service, values: client, io });
    await serveTools(runs, { hide: hiding(variables.flatMap((name) => io.env[name] ?? [])), signal: io.signal }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
        throw new UsageError('trawler mcp needs a package that is not installed.', { hint: 'npm install @modelcontextprotocol/server' });
      },
    );
    runs.close();
    return ExitCode.done;
  },
};
