/** The service of a flow that names none and whose client has none. Nothing else in this room knows a service by name. */
export { searchService as defaultService, type SearchService as DefaultService } from '../../search/index.ts';
