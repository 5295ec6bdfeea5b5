import { madeOperation } from '../../contract/madeOperation.ts';
import { sent } from './shared.ts';
import { web } from './webSearch.ts';

export const mobileSearch = madeOperation({
  ...web,
  about: 'Web pages as a phone sees them.',
  query: { ...sent, deviceType: 'mobile', start: '${offset}' },
});
