/** The service of a client or a flow that names none. Only this file makes the built-in one a default. */
export { searchService as defaultService, type SearchService as DefaultService } from './search/index.ts';
