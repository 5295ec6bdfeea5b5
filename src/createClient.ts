import type { AnyClient, ClientOf, FactoriesOf } from './client/Client.ts';
import type { ClientOptions } from './client/ClientOptions.ts';
import { createServiceClient } from './client/createServiceClient.ts';
import type { Service } from './contract/Service.ts';
import { defaultService, type DefaultService } from './defaultService.ts';

/** A client: of the search-data service, unless another is named. */
export type Client<S extends Service = DefaultService> = ClientOf<S>;

/**
 * A client of a service: each operation as a function from a query to an Observable of one page. Options are checked at
 * once. All its requests share one admission: concurrency, rate, pauses, retries and budget.
 *
 * `service` is a service of your own, from `defineService`; without it the client is of the search-data service.
 *
 * @example
 * const client = createClient({ baseUrl: 'https://api.example.com', apiKey });
 * client.mapsReviews({ data_id }).subscribe((page) => console.log(page.items[0]?.snippet));
 */
export function createClient<S extends Service>(
  options: ClientOptions & { readonly service: S },
  // A `Client<S>`, written out: an editor shows its operations, not the description.
): { readonly [N in keyof S['operations']]: FactoriesOf<S>[N] } & AnyClient<keyof S['operations'] & string>;
export function createClient(options?: ClientOptions & { readonly service?: undefined }): Client;
export function createClient({
  service = defaultService,
  ...options
}: ClientOptions & { readonly service?: Service | undefined } = {}): object {
  return createServiceClient(service, options);
}
