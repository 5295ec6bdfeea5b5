import { checkService } from './language/checkService.ts';
import { serviceFields } from './language/serviceFields.ts';
import { madeService, type ServiceSpec, type FanOutSpec, type Service } from './Service.ts';
import { type Operation, madeOperation, type Named, type OperationInput } from './Operation.ts';
import { checkOperation } from './language/checkOperation.ts';

/**
 * Creates a service from its data. Throws a RangeError that names the field if the data can't be right: an unknown
 * field, an operation under a name other than its own, a fan-out that calls nothing.
 *
 * @example
 * const books = defineService({
 *   name: 'books',
 *   key: { header: 'authorization', value: (key) => `Bearer ${key}` },
 *   operations: { search: defineOperation({ … }) },
 * });
 * const client = createClient({ service: books, baseUrl, apiKey });
 */
export function defineService<
  const Operations extends { readonly [name: string]: Operation },
  const FanOuts extends { readonly [name: string]: FanOutSpec } = {},
>(spec: ServiceSpec<Operations, FanOuts>): Service<Operations, FanOuts> {
  const caller = `defineService(${spec?.name})`;
  serviceFields.check(caller, spec);
  const service = madeService(spec);
  checkService(caller, service);
  return service;
}

/** Creates an operation from its data. Throws a RangeError that names the field if the data can't be right. */
export function defineOperation<const S extends OperationInput>(input: S): Operation<Named<S>> {
  checkOperation(`defineOperation(${input?.name ?? input?.path})`, input);
  return madeOperation(input);
}
