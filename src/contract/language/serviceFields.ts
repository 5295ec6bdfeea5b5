import { parsedUrl } from '../../../operators/kit/parsedUrl.ts';
import { anyPath, byField, object, operation, path, slashPath, yes } from '../../../operators/options/fieldKinds.ts';
import { anything, callback, either, like, listOf, number, oneOf, tableOf, text, whole } from '../../../operators/options/kinds.ts';
import { declareFields, type OptionKind } from '../../../operators/options/OptionSet.ts';
import {
  type BasicKey,
  type HeaderKey,
  type KeySpec,
  type OAuth2Key,
  type ParamKey,
  type SigningKey,
  type HeaderSecret,
  type ParamSecret,
  type SecretSpec,
  type EnvelopeSpec,
  type BucketLimit,
  bucketForms,
  type KnownLimit,
  type LimitSpec,
  type ToldHeaders,
  type ToldInBody,
} from '../EnvelopeSpec.ts';
import {
  type CheckSpec,
  type FailureSpec,
  type FailureUntil,
  failureMeanings,
  untilUnits,
  type FanOutPart,
  type FanOutSpec,
  type PriceSpec,
  type Service,
} from '../Service.ts';
import type { Operation } from '../Operation.ts';
import { envelopeFields, fixed, headers, plainValue } from './operationFields.ts';
import { isHeaderName, isHeaderValue } from '../requestBody.ts';
import { grants, type OAuth2Spec, type RefreshSpec, sendings, tokenMethods, type TokenSpec } from '../TokenSpec.ts';

/** Where tokens can be requested. No credentials stand in it: they are the key. */
function isTokenAddress(value: unknown): boolean {
  const form = /^(?:\/|https?:\/\/)(?!\/)[^#\s\\]*$/i;
  if (typeof value !== 'string' || !form.test(value) || parsedUrl(value, 'https://service') === undefined) return false;
  const { username, password } = new URL(value, 'https://service');
  return username === '' && password === '';
}

const tokenAddress = like<string>('a path that starts with a slash, or an https address', isTokenAddress);
const oauth2Fields = declareFields<OAuth2Spec>()({
  address: tokenAddress.needed(),
  grant: oneOf(...grants).needed(),
  send: oneOf(...sendings),
  scope: text(),
  file: text('the path of a file'),
});
const headerName = like<string>("a header's name", isHeaderName);

const prefix = text("a text such as 'Bearer '");
const place = like<string>("a dotted path, or ''", (at) => at === '' || path().fits(at));
const lineOfText = like<string>('a text of one line', isHeaderValue);
export const tokenFields = declareFields<TokenSpec>()({
  path: tokenAddress.needed(),
  method: oneOf(...tokenMethods),
  params: tableOf(text()),
  headers: tableOf(lineOfText, headerName),
  json: tableOf(anything()),
  form: tableOf(text()),
  at: place,
  inHeader: headerName,
  expires: either(number({ above: 0 }), path()),
  refresh: object<RefreshSpec>(declareFields<RefreshSpec>()({ file: text('the path of a file').needed(), at: path() })),
});
const token = object<TokenSpec>(tokenFields);

/** The kinds of key, by the field that names each. */
export const keyFields = {
  header: declareFields<HeaderKey>()({ header: headerName.needed(), prefix, value: callback(), token }),
  param: declareFields<ParamKey>()({ param: text("a parameter's name").needed(), token }),
  basic: declareFields<BasicKey>()({ basic: yes().needed() }),
  oauth2: declareFields<OAuth2Key>()({ oauth2: object<OAuth2Spec>(oauth2Fields).needed() }),
  sign: declareFields<SigningKey>()({ sign: callback<SigningKey['sign']>().needed() }),
};

const env = text("a variable's name");
/** The kinds of other keys, by the field that names each. */
export const secretFields = {
  header: declareFields<HeaderSecret>()({ header: headerName.needed(), prefix, env }),
  param: declareFields<ParamSecret>()({ param: text("a parameter's name").needed(), env }),
};
const checkFields = declareFields<CheckSpec>()({ call: operation().needed(), with: fixed });

const unit = oneOf(...untilUnits).needed();
type UntilHeader = Pick<Extract<FailureUntil, { readonly header: string }>, 'unit' | 'header'>;
type UntilAt = Pick<Extract<FailureUntil, { readonly at: string }>, 'unit' | 'at'>;

export const failureFields = declareFields<FailureSpec>()({
  status: whole({ from: 200, to: 999 }),
  header: tableOf(like<string>('a text', (header) => typeof header === 'string')),
  code: either(number(), text()),
  at: anyPath(),
  is: either(plainValue, listOf(plainValue)),
  means: oneOf(...failureMeanings).needed(),
  until: byField<FailureUntil>({
    header: declareFields<UntilHeader>()({ header: text().needed(), unit }),
    at: declareFields<UntilAt>()({ at: path().needed(), unit }),
  }),
});

/** The forms of a limit, by a field that only one of them has. */
export const limitFields = {
  requests: declareFields<KnownLimit>()({ requests: number({ above: 0 }).needed(), perMs: number({ above: 0 }).needed() }),
  form: declareFields<BucketLimit>()({
    header: headerName,
    at: path(),
    form: oneOf(...bucketForms).needed(),
    perSecond: number({ above: 0 }).needed(),
  }),
  at: declareFields<ToldInBody>()({
    at: path().needed(),
    remaining: path(),
    used: path(),
    size: path(),
    perSecond: either(path(), number({ above: 0 })),
    reset: path(),
    cost: path(),
  }),
  remaining: declareFields<ToldHeaders>()({ remaining: headerName.needed(), reset: headerName }),
};
const limit = byField<LimitSpec>(limitFields);

const source = text("a source such as '$.id'");
const part = object<FanOutPart>(declareFields<FanOutPart>()({ of: source.needed(), before: text(), split: text(), param: text() }));

export const fanOutFields = declareFields<FanOutSpec>()({
  call: operation().needed(),
  about: text(),
  rows: either(
    text("a list's path"),
    like<null>('null', (rows) => rows === null),
  ),
  with: tableOf(either(source, part, listOf(either(source, part)))).needed(),
  by: listOf(text()),
  unlessZero: listOf(source),
  claims: source,
  walks: yes(),
  expires: yes(),
});

const isOperation = (value: unknown): boolean => typeof value === 'object' && value !== null && 'spec' in value;

/** Which of them goes with which name, `defineService` says. */
const price: OptionKind<object, undefined> = tableOf(either(number({ from: 0 }), headerName));

export const serviceFields = declareFields<Service>()({
  name: text().needed(),
  about: text(),
  basePath: like<string>('a path that starts with a slash', (at) => at === '' || slashPath().fits(at)),
  nextPaths: listOf(slashPath()),
  key: byField<KeySpec>(keyFields),
  secrets: tableOf(byField<SecretSpec>(secretFields)),
  check: object<CheckSpec>(checkFields),
  envelope: object<EnvelopeSpec>(envelopeFields),
  failures: listOf(object<FailureSpec>(failureFields)),
  limit,
  groups: tableOf(either(limit, oneOf('learnt'))),
  price: price as OptionKind<PriceSpec, undefined>,
  headers,
  fixed,
  operations: tableOf(like<Operation>('what defineOperation returns', isOperation)).needed(),
  fanOuts: tableOf(object<FanOutSpec>(fanOutFields)),
  examples: tableOf(anything()),
});
