import { madeOperation } from '../../contract/madeOperation.ts';
import { mapsPhotos as ours } from '../../search/operations/mapsPhotos.ts';
import { byToken, hasToken, token } from './shared.ts';

const { data_id, language, category_id } = ours.params;

/** It is a POST because tokens grow too long for an address. A category that the place doesn't have is an error. */
export const mapsPhotos = madeOperation({
  post: '/search',
  about: 'Photos of one place.',
  body: {
    engine: 'google_maps_photos',
    data_id: '${data_id}',
    hl: '${language}',
    category_id: '${category_id}',
    next_page_token: '${cursor}',
  },
  params: { data_id, language, category_id, ...token },
  response: {
    'categories?': [{ title: 'string', id: 'string' }],
    'photos?': [{ 'thumbnail?': 'string: URL', image: 'string: URL' }],
    ...hasToken,
  },
  rows: 'photos',
  id: 'image',
  ...byToken,
});
