import { dayText } from '../../../operators/kit/days.ts';
import { countOf, formatCount } from '../../flow/report/index.ts';
import type { ReachedLimit, SpendingGroup, SpendLedger, Spending } from '../../ledger/index.ts';
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
  usage: '[limit AMOUNT[/day|/week|/month] | repair] [options]',
  about:
    'Shows what all who use the ledger have spent, and what its limits leave. The ledger is what TRAWLER_LEDGER names: a file, or the ' +
    'address of a PostgreSQL. limit sets the most that may be spent in a period, with the key in TRAWLER_API_KEY. none/month removes ' +
    'the limit of a month. Periods begin in UTC. repair keeps the lines of a damaged file that are whole. Nothing is sent then until a ' +
    'limit is set again.',
  options,
  examples: [
    ['trawler spend', 'the last 30 days, day by day'],
    ['trawler spend --since 7d --by flow', 'which flow has spent what'],
    ['trawler spend limit 5000/month', 'no more than 5,000 requests a month'],
    ['trawler spend limit 200/day --flow coffee', 'a limit for one flow'],
    ['trawler spend limit 20/month --money', 'a limit in what requests cost'],
    ['trawler spend repair', 'keeps what is whole of a damaged ledger'],
  ],
  async run(argv, io) {
    const { values, positionals } = parseOptions(argv, options, 'trawler spend');
    const [action, amount, ...more] = positionals;
    const isRepair = action === 'repair' && amount === undefined;
    if ((action !== undefined && action !== 'limit' && !isRepair) || more.length > 0)
      throw new UsageError(`trawler spend takes only 'limit AMOUNT' or 'repair', not '${positionals.join(' ')}'.`, {
        hint: 'See: trawler spend --help',
      });
    if (amount === undefined && (values.flow !== undefined || values.money !== undefined))
      throw new UsageError('--flow and --money go with limit AMOUNT.');
    const at = io.env['TRAWLER_LEDGER'];
    if (!at) {
      const hint = 'Set it to a file, such as ~/.trawler-ledger, or to postgres://…, for all who spend';
      throw new UsageError('TRAWLER_LEDGER is not set, so nothing is booked.', { hint });
    }
    if (isRepair) return repair(at, io);
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

async function repair(at: string, io: Io): Promise<number> {
  const { isFileLedger, newWriter, ownName, repairLedger } = await import('../../ledger/index.ts');
  if (!isFileLedger(at)) throw new UsageError('Only a ledger in a file is repaired. A PostgreSQL looks after its own.');
  const writer = `${newWriter()}.1`;
  const { lost, copy } = await repairLedger(at, { id: writer, at: Date.now(), who: ownName() });
  const lines = lost.length === 1 ? `Line ${lost[0]} was damaged` : `Lines ${lost.join(', ')} were damaged`;
  const said =
    copy === undefined
      ? 'Every line of the ledger is whole.'
      : escapeForTerminal(
          `${lines}. The others are kept, and the file as it was is ${copy}. What was lost may have been a limit, so nothing is sent ` +
            `until you set one for each key: trawler spend limit 5000/month, or none/month. Requests that the lost lines count are not ` +
            `counted any more.`,
        );
  await writeOut(io.stdout, `${said}\n`);
  return ExitCode.done;
}

async function setLimit(ledger: SpendLedger, amount: string, { money = false, flow, service: path }: Values, { env }: Io): Promise<void> {
  const { balanceOf, billionths, newWriter, ownName, patienceMs, periods } = await import('../../ledger/index.ts');
  const { needsOf, variablesOf } = await import('../../contract/index.ts');
  const form = money ? /^(\d+(?:\.\d{1,9})?|none)(?:\/(\w+))?$/ : /^(\d+|none)(?:\/(\w+))?$/;
  const [, number, per = 'ever'] = form.exec(amount) ?? [];
  const period = periods.find((one) => one === per);
  if (number === undefined || period === undefined)
    throw new UsageError(`A limit is a number such as 5000/month, 200/day or 100, not '${amount}'.`);
  const most = number === 'none' ? null : money ? billionths(number) : BigInt(number);
  const service = await chooseService(path);
  if (money && Object.keys(service.price ?? {}).length === 0)
    throw new UsageError(`The service ${service.name} has no price, so only requests can be limited.`, {
      hint: 'Give the service prices, such as price: { default: 1 }, and name it with --service FILE',
    });
  const { apiKey, secrets } = variablesOf(service);
  const key = env[apiKey] ?? '';
  if (key === '' && needsOf(service).key) throw new UsageError(`${apiKey} is not set, so nobody knows whose limit this is.`);
  const user = secrets['user'] === undefined ? undefined : env[secrets['user']];
  const balance = balanceOf(service, { key, user });
  const id = `${newWriter()}.1`;
  const limit = { most, of: money ? 'money' : 'requests', per: period, flow } as const;
  await ledger.book({ id, at: Date.now(), balance, who: ownName(), limit }, patienceMs);
}

type LimitOf = ReachedLimit & { readonly balance: string; readonly left: bigint };

async function limitsIn(ledger: SpendLedger): Promise<readonly LimitOf[]> {
  const { limitsOf } = await import('../../ledger/index.ts');
  return Array.from(await ledger.balances()).flatMap(([balance, state]) =>
    limitsOf({ ...state, at: Math.max(state.at, Date.now()) }, '*').map((limit) => {
      const left = limit.most - limit.spent;
      return { balance, ...limit, left: left > 0n ? left : 0n };
    }),
  );
}

async function printLimits(ledger: SpendLedger, { json }: Values, io: Io): Promise<void> {
  const { asNumbers, renderLimits } = await amountFormats();
  const limits = await limitsIn(ledger);
  await writeOut(io.stdout, json === true ? printedJson(limits.map(asNumbers), 2) : `${renderLimits(limits)}\n`);
}

/** Amounts in words, and as numbers for JSON. */
async function amountFormats() {
  const { describeLimit, moneyText } = await import('../../ledger/index.ts');
  const amountOf = (of: ReachedLimit['of'], value: bigint): string => (of === 'money' ? moneyText(value) : formatCount(Number(value)));
  const numberOf = (of: ReachedLimit['of'], value: bigint): number => Number(of === 'money' ? moneyText(value) : value);
  const lineOf = ({ balance, until, spent, left, ...limit }: LimitOf): string => {
    const end = until === undefined ? '' : ` until ${dayText(until)}`;
    const [gone, rest] = [spent, left].map((value) => amountOf(limit.of, value));
    return escapeForTerminal(`${balance}: at most ${describeLimit(limit)}. ${gone} spent, ${rest} left${end}.`);
  };
  return {
    moneyText,
    /** A line for each limit. */
    renderLimits: (limits: readonly LimitOf[]): string =>
      limits.length === 0 ? 'There is no limit. To set one: trawler spend limit 5000/month' : limits.map(lineOf).join('\n'),
    asNumbers: ({ most, spent, left, ...limit }: LimitOf): object => {
      const [limited, gone, rest] = [most, spent, left].map((value) => numberOf(limit.of, value));
      return { ...limit, most: limited, spent: gone, left: rest };
    },
  };
}

async function printSpending(ledger: SpendLedger, { since = '30d', by = 'day', json }: Values, io: Io): Promise<void> {
  const { spendingGroups, summarizeSpending } = await import('../../ledger/index.ts');
  const { asNumbers, moneyText, renderLimits } = await amountFormats();
  const group = spendingGroups.find((one) => one === by);
  if (group === undefined) throw new UsageError(`--by is ${spendingGroups.join(', ')}, not '${by}'.`);
  const from = Date.now() - ageOption('since', since)!;
  const spending = await summarizeSpending(ledger, { since: from, by: group });
  const limits = await limitsIn(ledger);
  const inNumbers = (one: SpendingGroup): object => ({ ...one, money: Number(moneyText(one.money)) });
  const record = {
    since: new Date(from).toISOString(),
    by: group,
    groups: spending.groups.map(inNumbers),
    total: inNumbers(spending.total),
    reserved: spending.reserved,
    limits: limits.map(asNumbers),
  };
  const text = `${renderSpending(spending, group, moneyText, io)}\n\n${renderLimits(limits)}\n`;
  await writeOut(io.stdout, json === true ? printedJson(record, 2) : text);
}

const barWidth = 24;

function renderSpending({ groups, total, reserved }: Spending, by: string, moneyText: (sum: bigint) => string, { stdout }: Io): string {
  const held = reserved === 0 ? '' : `\n${countOf(reserved, 'more request')} reserved, by clients that run or were killed.`;
  if (groups.length === 0) return `Nothing was spent. Requests to the sandbox cost nothing, and are not booked.${held}`;
  const hasMoney = total.money > 0n;
  const sizeOf = (group: SpendingGroup): number => (hasMoney ? Number(group.money) : group.requests);
  const most = Math.max(...groups.map(sizeOf));
  const bar = (value: number): string => '█'.repeat(most === 0 ? 0 : Math.max(1, Math.round((value / most) * barWidth)));
  const row = (group: Spending['total'], drawn: string): readonly (string | number)[] => [
    group.name,
    group.requests,
    group.failed,
    group.retries,
    ...(hasMoney ? [moneyText(group.money)] : []),
    ...(stdout.isTTY === true ? [drawn] : []),
  ];
  const rows = groups.map((group) => row(group, bar(sizeOf(group))));
  const heads = [by.toUpperCase(), 'REQUESTS', 'FAILED', 'RETRIES', ...(hasMoney ? ['PRICE'] : [])];
  return `${renderTable([heads, ...rows, row(total, '')])}${held}`;
}
