import { madeOperation } from '../../contract/madeOperation.ts';
import { mapsPhotos as ours } from '../../search/operations/mapsPhotos.ts';
import { byToken, hasToken, metadata, sentToken } from './shared.ts';

const { data_id, language, category_id } = ours.params;

/** The names of the fields of a category are guesses. */
export const mapsPhotos = madeOperation({
  get: '/scrape/google-maps/photos',
  about: 'Photos of one place.',
  query: { dataId: '${data_id}', hl: '${language}', categoryId: '${category_id}', ...sentToken },
  params: { data_id, language, category_id },
  response: {
    ...metadata,
    'categories?': [{ 'name?': 'string', id: 'string' }],
    'photos?': [{ image: 'string: URL', 'thumbnail?': 'string: URL' }],
    ...hasToken,
  },
  rows: 'photos',
  id: 'image',
  ...byToken,
});
