import { nearestName } from '../../../operators/check/nearestName.ts';
import type { OperationName } from '../../search/operations.ts';
import type { FaultAction } from './FaultAction.ts';
import { refused } from './refused.ts';
import { reset } from './reset.ts';
import { close } from './close.ts';
import { stall } from './stall.ts';
import { trickle } from './trickle.ts';
import { slices } from './slices.ts';
import { delay } from './delay.ts';
import { rubbish } from './rubbish.ts';
import { flood } from './flood.ts';
import { hugeHeader } from './hugeHeader.ts';
import { twoLengths } from './twoLengths.ts';
import { wrongLength } from './wrongLength.ts';
import { connectionClose } from './connectionClose.ts';
import { status } from './status.ts';
import { redirect } from './redirect.ts';
import { noContent } from './noContent.ts';
import { empty } from './empty.ts';
import { html } from './html.ts';
import { notJson } from './notJson.ts';
import { noEnvelope } from './noEnvelope.ts';
import { envelopeCode } from './envelopeCode.ts';
import { compressed } from './compressed.ts';
import { truncatedGzip } from './truncatedGzip.ts';
import { bomb } from './bomb.ts';
import { hugePage } from './hugePage.ts';
import { deep } from './deep.ts';
import { protoKeys } from './protoKeys.ts';
import { bigNumbers } from './bigNumbers.ts';
import { escapes } from './escapes.ts';
import { oddTexts } from './oddTexts.ts';
import { list } from './list.ts';
import { badRows } from './badRows.ts';
import { token } from './token.ts';
import { staleToken } from './staleToken.ts';
import { repeatedToken } from './repeatedToken.ts';
import { tokenRing } from './tokenRing.ts';
import { emptyPage } from './emptyPage.ts';
import { samePage } from './samePage.ts';
import { overlap } from './overlap.ts';
import { endlessWalk } from './endlessWalk.ts';

/** Every fault there is, by name. */
export interface Faults {
  readonly refused: typeof refused;
  readonly reset: typeof reset;
  readonly close: typeof close;
  readonly stall: typeof stall;
  readonly trickle: typeof trickle;
  readonly slices: typeof slices;
  readonly delay: typeof delay;
  readonly rubbish: typeof rubbish;
  readonly flood: typeof flood;
  readonly hugeHeader: typeof hugeHeader;
  readonly twoLengths: typeof twoLengths;
  readonly wrongLength: typeof wrongLength;
  readonly connectionClose: typeof connectionClose;
  readonly status: typeof status;
  readonly redirect: typeof redirect;
  readonly noContent: typeof noContent;
  readonly empty: typeof empty;
  readonly html: typeof html;
  readonly notJson: typeof notJson;
  readonly noEnvelope: typeof noEnvelope;
  readonly envelopeCode: typeof envelopeCode;
  readonly compressed: typeof compressed;
  readonly truncatedGzip: typeof truncatedGzip;
  readonly bomb: typeof bomb;
  readonly hugePage: typeof hugePage;
  readonly deep: typeof deep;
  readonly protoKeys: typeof protoKeys;
  readonly bigNumbers: typeof bigNumbers;
  readonly escapes: typeof escapes;
  readonly oddTexts: typeof oddTexts;
  readonly list: typeof list;
  readonly badRows: typeof badRows;
  readonly token: typeof token;
  readonly staleToken: typeof staleToken;
  readonly repeatedToken: typeof repeatedToken;
  readonly tokenRing: typeof tokenRing;
  readonly emptyPage: typeof emptyPage;
  readonly samePage: typeof samePage;
  readonly overlap: typeof overlap;
  readonly endlessWalk: typeof endlessWalk;
}
export const faults: Faults = {
  refused,
  reset,
  close,
  stall,
  trickle,
  slices,
  delay,
  rubbish,
  flood,
  hugeHeader,
  twoLengths,
  wrongLength,
  connectionClose,
  status,
  redirect,
  noContent,
  empty,
  html,
  notJson,
  noEnvelope,
  envelopeCode,
  compressed,
  truncatedGzip,
  bomb,
  hugePage,
  deep,
  protoKeys,
  bigNumbers,
  escapes,
  oddTexts,
  list,
  badRows,
  token,
  staleToken,
  repeatedToken,
  tokenRing,
  emptyPage,
  samePage,
  overlap,
  endlessWalk,
};

export type FaultName = keyof Faults;

/** On which requests a fault is played; of those that match, on all of them unless `nth`, `share` or `times` says otherwise. */
export interface FaultWhen {
  /** Only requests of this operation, or of these. @default any */
  readonly operation?: OperationName | readonly OperationName[] | undefined;
  /** Only requests with these texts in their query. @default any */
  readonly query?: { readonly [param: string]: string } | undefined;
  /** Which of the matching requests, counted from 1. @default all */
  readonly nth?: number | readonly number[] | undefined;
  /** The share of the matching requests, drawn by the seed. @default 1 */
  readonly share?: number | undefined;
  /** How often at most. @default Infinity */
  readonly times?: number | undefined;
}

/** A fault to play: its name, when, and its own options. */
export type Fault = {
  [N in FaultName]: { readonly fault: N } & FaultWhen & (Parameters<Faults[N]> extends [infer Options] ? Options : object);
}[FaultName];

const always: readonly string[] = ['fault', 'operation', 'query', 'nth', 'share', 'times'] satisfies readonly ('fault' | keyof FaultWhen)[];

/** Makes a fault ready to be played. Refuses an option that it doesn't have: which ones it has shows as it reads them. */
export function faultAction(fault: Fault): FaultAction {
  if (!Object.hasOwn(faults, fault.fault)) {
    throw new RangeError(`startSandbox: no fault is called '${fault.fault as string}'${didYouMean(fault.fault, Object.keys(faults))}`);
  }
  const known = new Set(always);
  const read = new Proxy(fault, {
    get(target, option): unknown {
      known.add(String(option));
      return Reflect.get(target, option);
    },
  });
  const make = faults[fault.fault] as (options: Fault) => FaultAction;
  let action: FaultAction | undefined;
  let failure: unknown;
  try {
    action = make(read);
  } catch (error) {
    failure = error; // a misspelt option is told of rather than the one that is missing
  }
  const unknown = Object.keys(fault).find((option) => !known.has(option));
  if (unknown !== undefined) {
    throw new RangeError(`startSandbox: the fault '${fault.fault}' has no option '${unknown}'${didYouMean(unknown, [...known])}`);
  }
  if (action === undefined) throw failure;
  return action;
}

function didYouMean(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  return nearest === undefined ? `; there are ${names.filter((one) => one !== 'fault').join(', ')}` : `; did you mean '${nearest}'?`;
}
