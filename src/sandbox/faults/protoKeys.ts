import type { FaultAction } from './FaultAction.ts';

/** `__proto__` and `constructor` as names of fields, in the data and in each row. */
export function protoKeys(): FaultAction {
  return {
    play(exchange) {
      const evil = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}';
      const text = JSON.stringify(exchange.envelope());
      // at the start of every object: JSON.stringify itself would leave `__proto__` out
      const spiked = text.replaceAll(/([:[,])\{(?=")/g, (_, before: string) => `${before}{${evil},`);
      exchange.send(200, spiked, { 'content-type': 'application/json' });
    },
  };
}
