import { parsedUrl } from '../../../operators/kit/parsedUrl.ts';
import { byField, object, operation, path } from '../../../operators/options/fieldKinds.ts';
import { anything, callback, either, like, listOf, number, oneOf, tableOf, text } from '../../../operators/options/kinds.ts';
import { declareFields, type OptionKind } from '../../../operators/options/OptionSet.ts';
import type { EnvelopeSpec, KnownLimit, LimitSpec, ReportedLimit } from '../EnvelopeSpec.ts';
import type { AccountSpec, FanOutSpec, PriceSpec, Service, Sign, RefreshSpec, TokenSpec } from '../Service.ts';
import type { Operation } from '../Operation.ts';
import { envelopeFields, failures, headers, query } from './operationFields.ts';
import { isHeaderName, isHeaderValue } from './checkRequest.ts';
import { fanOutSource, partFields, searchAccount, searchFanOut } from './searchFields.ts';
import type { FanOutPart } from '../SearchWords.ts';

/** Whether tokens can be requested at an address. It must have no credentials: these are the key. */
function isTokenAddress(value: unknown): boolean {
  const form = /^(?:\/|https?:\/\/)(?!\/)[^#\s\\]*$/i;
  if (typeof value !== 'string' || !form.test(value) || parsedUrl(value, 'https://service') === undefined) return false;
  const { username, password } = new URL(value, 'https://service');
  return username === '' && password === '';
}

const tokenAddress = like<string>('a path that starts with a slash, or an https address', isTokenAddress);
const headerName = like<string>("a header's name", isHeaderName);

const isPathOrHeader = (at: unknown): boolean =>
  typeof at === 'string' && (at === '' || (at.startsWith('header:') ? isHeaderName(at.slice('header:'.length)) : path().fits(at)));
export const tokenFields = declareFields<TokenSpec>()({
  get: tokenAddress,
  post: tokenAddress,
  query,
  headers: tableOf(like<string>('a text of one line', isHeaderValue), headerName),
  body: tableOf(anything()),
  form: query,
  at: like<string>("a dotted path, '', or header:name", isPathOrHeader).needed(),
  expires: either(number({ above: 0 }), path()),
  refresh: object<RefreshSpec>(declareFields<RefreshSpec>()({ file: text('the path of a file').needed(), at: path() })),
});

export const accountFields = declareFields<AccountSpec>()({ call: operation().needed(), with: query, left: path(), ...searchAccount });

/** The forms of a limit, by a field that only one of them has. */
export const limitFields = {
  requests: declareFields<KnownLimit>()({ requests: number({ above: 0 }).needed(), perMs: number({ above: 0 }).needed() }),
  remaining: declareFields<ReportedLimit>()({
    remaining: either(headerName, path()).needed(),
    reset: either(headerName, path()),
    at: path(),
  }),
};
const limit = byField<LimitSpec>(limitFields);

const part = object<FanOutPart>(partFields);

export const fanOutFields = declareFields<FanOutSpec>()({
  call: operation().needed(),
  about: text(),
  with: tableOf(either(fanOutSource, part, listOf(either(fanOutSource, part)))).needed(),
  ...searchFanOut,
});

const isAddress = (at: unknown): boolean => typeof at === 'string' && at !== '' && /^(https?:\/\/[^\s/?#@\\]+)?(\/[^\s?#\\]*)?$/.test(at);

const isOperation = (value: unknown): boolean => typeof value === 'object' && value !== null && 'spec' in value;

/** `defineService` checks which names have a number and which a path or a header. */
const price: OptionKind<object, undefined> = tableOf(
  either(number({ from: 0 }), like<string>('a dotted path, or header:name', isPathOrHeader)),
);

export const serviceFields = declareFields<Service>()({
  name: text().needed(),
  about: text(),
  baseUrl: like<string>('an address such as https://api.example.com/v2, or a path that starts with a slash', isAddress),
  token: object<TokenSpec>(tokenFields),
  sign: callback<Sign>(),
  account: object<AccountSpec>(accountFields),
  envelope: object<EnvelopeSpec>(envelopeFields),
  failures,
  limits: tableOf(either(limit, oneOf('learnt'))),
  price: price as OptionKind<PriceSpec, undefined>,
  headers,
  query,
  operations: tableOf(like<Operation>('what defineOperation returns', isOperation)).needed(),
  fanOuts: tableOf(object<FanOutSpec>(fanOutFields)),
  examples: tableOf(anything()),
});
