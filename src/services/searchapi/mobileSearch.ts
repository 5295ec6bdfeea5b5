import { madeOperation } from '../../contract/madeOperation.ts';
import { sentPage, sentTime, sentToDomain } from './shared.ts';
import { web } from './webSearch.ts';

export const mobileSearch = madeOperation({
  ...web,
  about: 'Web pages as a phone sees them.',
  query: { engine: 'google', device: 'mobile', ...sentToDomain, ...sentTime, ...sentPage },
});
