import type { Dispatcher } from 'undici';
import type { SignedHeaders, UnsignedRequest } from '../../contract/index.ts';
import type { Settings } from '../options/resolveOptions.ts';
import type { Secrets } from './Secrets.ts';

/** What goes along with a request and says who sends it. */
export interface Proof {
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** Parameters of the address, encoded: `api_key=…`. */
  readonly pairs?: string | undefined;
}

/** Makes what goes along with requests from the key. */
export interface Credential {
  /** For a request that is about to be sent: at once, or when it has been made. */
  carry(): Proof | Promise<Proof>;
  /** The service refused what was carried. True: the next request carries something new. */
  refused(carried: Proof): boolean;
  /** More headers for a request that is complete otherwise. They take the place of those with the same name. */
  readonly sign?: ((request: UnsignedRequest) => Promise<SignedHeaders>) | undefined;
}

/** What a credential is made with. */
export interface CredentialTools {
  readonly secrets: Secrets;
  readonly settings: Settings;
  /** What sends requests to an origin. */
  readonly dispatcherFor: (origin: string) => Dispatcher;
}
