import type { Operation } from '../contract/Operation.ts';
import { fanOuts, type FanOuts } from '../search/fanOuts.ts';

/** The ready fan-outs that call one of these operations. */
export type FanOutsOf<Operations> = {
  readonly [name in keyof FanOuts as FanOuts[name]['call'] extends keyof Operations ? name : never]: FanOuts[name];
};

/** The ready fan-outs whose operation is there, and takes all parameters that they set. */
export function fanOutsOf<const Operations extends { readonly [name: string]: Operation }>(operations: Operations): FanOutsOf<Operations> {
  const able = Object.entries(fanOuts).filter(([, { call, with: given }]) => {
    const operation = Object.hasOwn(operations, call) ? operations[call] : undefined;
    return operation !== undefined && Object.keys(given).every((param) => Object.hasOwn(operation.params, param));
  });
  return Object.fromEntries(able) as unknown as FanOutsOf<Operations>;
}
