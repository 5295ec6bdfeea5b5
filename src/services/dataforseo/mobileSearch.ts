import { madeOperation } from '../../contract/madeOperation.ts';
import { web, webTask } from './webSearch.ts';

export const mobileSearch = madeOperation({ ...web, about: 'Web pages as a phone sees them.', body: [{ ...webTask, device: 'mobile' }] });
