import { dayText } from '../../../operators/kit/days.ts';
import { countOf, formatCount } from '../../flow/report/index.ts';
import type { ReachedLimit, SpendLedger, Spending } from '../../ledger/index.ts';
import { chooseService, serviceOption } from '../chooseService.ts';
import { type Command, ExitCode, type Io, type OptionValues, UsageError, writeOut } from '../Command.ts';
import { ageOption } from '../openStoreFor.ts';
import { parseOptions } from '../parseOptions.ts';
import { escapeForTerminal, printedJson } from '../text/escapeForTerminal.ts';
import { renderTable } from '../text/renderTable.ts';

const options = {
  since: { type: 'string', value: 'AGE', about: 'what was spent in this time, such as 7d (30d)' },
  by: { type: 'string', value: 'WHAT', about: 'day, flow, operation or who (day)' },
  json: { type: 'boolean', about: 'print JSON' },
  flow: { type: 'string', value: 'NAME', about: 'limit: only for this flow' },
  money: { type: 'boolean', about: 'limit: in what requests cost, as the service says; without it in requests' },
  ...serviceOption,
  env: { type: 'string', value: 'FILE', about: 'read environment variables from a file, such as .env' },
} as const;

type Values = OptionValues<typeof options>;

export const spend: Command = {
  name: 'spend',
  overview: [9, 'show what was spent, and set limits'],
  usage: '[limit AMOUNT[/day|/week|/month]] [options]',
  about:
    'Shows what all who use the ledger have spent, and what its limits leave. The ledger is what TRAWLER_LEDGER names: a file, or the address of a PostgreSQL. limit sets the most that may be spent in a period, with the key in TRAWLER_API_KEY. none/month removes the limit of a month. Periods begin in UTC.',
  options,
  examples: [
    ['trawler spend', 'the last 30 days, day by day'],
    ['trawler spend --since 7d --by flow', 'which flow has spent what'],
    ['trawler spend limit 5000/month', 'no more than 5,000 requests a month'],
    ['trawler spend limit 200/day --flow coffee', 'a limit for one flow'],
    ['trawler spend limit 20/month --money', 'a limit in what requests cost'],
  ],
  async run(argv, io) {
    const { values, positionals } = parseOptions(argv, options, 'trawler spend');
    const [action, amount, ...more] = positionals;
    if ((action !== undefined && action !== 'limit') || more.length > 0)
      throw new UsageError(`trawler spend takes only 'limit AMOUNT', not '${positionals.join(' ')}'.`, {
        hint: 'See: trawler spend --help',
      });
    if (amount === undefined && (values.flow !== undefined || values.money !== undefined))
      throw new UsageError('--flow and --money go with limit AMOUNT.');
    const at = io.env['TRAWLER_LEDGER'];
    if (!at) {
      const hint = 'Set it to a file, such as ~/.trawler-ledger, or to postgres://…, for all who spend';
      throw new UsageError('TRAWLER_LEDGER is not set, so nothing is booked.', { hint });
    }
    const { openLedger } = await import('../../ledger/index.ts');
    const ledger = await openLedger(at);
    try {
      if (amount !== undefined) await setLimit(ledger, amount, values, io);
      if (action === 'limit') await printLimits(ledger, values, io);
      else await printSpending(ledger, values, io);
      return ExitCode.done;
    } finally {
      await ledger.close();
    }
  },
};

async function setLimit(ledger: SpendLedger, amount: string, { money = false, flow, service: path }: Values, { env }: Io): Promise<void> {
  const { balanceOf, ownName, periods } = await import('../../ledger/index.ts');
  const [, number, per = 'ever'] = /^(\d+(?:\.\d+)?|none)(?:\/(\w+))?$/.exec(amount) ?? [];
  const period = periods.find((one) => one === per);
  const most = number === 'none' ? null : Number(number);
  if (number === undefined || period === undefined || (!money && !Number.isInteger(most ?? 0)))
    throw new UsageError(`A limit is a number such as 5000/month, 200/day or 100, not '${amount}'.`);
  const service = await chooseService(path);
  if (money && service.price === undefined)
    throw new UsageError(`The service ${service.name} has no price, so only requests can be limited.`, {
      hint: 'Give the service prices, such as price: { default: 1 }, and name it with --service FILE',
    });
  const key = env['TRAWLER_API_KEY'] ?? '';
  if (key === '' && service.key !== undefined) throw new UsageError('TRAWLER_API_KEY is not set, so nobody knows whose limit this is.');
  const hasUser = service.key !== undefined && 'oauth2' in service.key && service.key.oauth2.grant === 'password';
  const balance = balanceOf(service, { key, user: hasUser ? env['TRAWLER_USER'] : undefined });
  await ledger.book({ at: Date.now(), balance, who: ownName(), limit: { most, of: money ? 'money' : 'requests', per: period, flow } });
}

interface LimitOf extends ReachedLimit {
  readonly balance: string;
  readonly left: number;
}

async function limitsIn(ledger: SpendLedger): Promise<readonly LimitOf[]> {
  const { limitsOf } = await import('../../ledger/index.ts');
  return Array.from(await ledger.balances()).flatMap(([balance, state]) =>
    limitsOf({ ...state, at: Math.max(state.at, Date.now()) }, '*').map((limit) => ({
      balance,
      ...limit,
      left: Math.max(0, limit.most - limit.spent),
    })),
  );
}

async function printLimits(ledger: SpendLedger, { json }: Values, io: Io): Promise<void> {
  const limits = await limitsIn(ledger);
  await writeOut(io.stdout, json === true ? printedJson(limits, 2) : `${await renderLimits(limits)}\n`);
}

/** A line for each limit. */
async function renderLimits(limits: readonly LimitOf[]): Promise<string> {
  const { describeLimit } = await import('../../ledger/index.ts');
  if (limits.length === 0) return 'There is no limit. To set one: trawler spend limit 5000/month';
  return limits
    .map((limit) => {
      const until = limit.until === undefined ? '' : ` until ${dayText(limit.until)}`;
      return escapeForTerminal(
        `${limit.balance}: at most ${describeLimit(limit)}. ${amount(limit.spent)} spent, ${amount(limit.left)} left${until}.`,
      );
    })
    .join('\n');
}

async function printSpending(ledger: SpendLedger, { since = '30d', by = 'day', json }: Values, io: Io): Promise<void> {
  const { spendingGroups, summarizeSpending } = await import('../../ledger/index.ts');
  const group = spendingGroups.find((one) => one === by);
  if (group === undefined) throw new UsageError(`--by is ${spendingGroups.join(', ')}, not '${by}'.`);
  const from = Date.now() - ageOption('since', since)!;
  const spending = await summarizeSpending(ledger, { since: from, by: group });
  const limits = await limitsIn(ledger);
  const record = { since: new Date(from).toISOString(), by: group, ...spending, limits };
  const text = `${renderSpending(spending, group, io)}\n\n${await renderLimits(limits)}\n`;
  await writeOut(io.stdout, json === true ? printedJson(record, 2) : text);
}

const barWidth = 24;

function renderSpending({ groups, total, reserved }: Spending, by: string, { stdout }: Io): string {
  if (groups.length === 0) return 'Nothing was spent.';
  const hasMoney = total.money > 0;
  const most = Math.max(...groups.map((group) => (hasMoney ? group.money : group.requests)));
  const bar = (value: number): string => '█'.repeat(most === 0 ? 0 : Math.max(1, Math.round((value / most) * barWidth)));
  const row = (group: Spending['total'], drawn: string): readonly (string | number)[] => [
    group.name,
    group.requests,
    group.failed,
    group.retries,
    ...(hasMoney ? [amount(group.money)] : []),
    ...(stdout.isTTY === true ? [drawn] : []),
  ];
  const rows = groups.map((group) => row(group, bar(hasMoney ? group.money : group.requests)));
  const heads = [by.toUpperCase(), 'REQUESTS', 'FAILED', 'RETRIES', ...(hasMoney ? ['PRICE'] : [])];
  const held = reserved === 0 ? '' : `\n${countOf(reserved, 'more request')} reserved, by clients that run or were killed.`;
  return `${renderTable([heads, ...rows, row(total, '')])}${held}`;
}

const amount = (value: number): string => (Number.isInteger(value) ? formatCount(value) : String(value));
