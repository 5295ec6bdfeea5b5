import { madeOperation } from '../../contract/madeOperation.ts';
import { mapsPhotos as ours } from '../../search/operations/mapsPhotos.ts';
import { byToken, hasToken, sentToken, token } from './shared.ts';

const { data_id, language, category_id } = ours.params;

export const mapsPhotos = madeOperation({
  get: '/search.json',
  about: 'Photos of one place.',
  query: { engine: 'google_maps_photos', hl: '${language}', ...sentToken },
  params: { data_id, language, category_id, ...token },
  response: {
    'categories?': [{ title: 'string', id: 'string' }],
    'photos?': [
      {
        'thumbnail?': 'string: URL',
        image: 'string: URL',
        'video?': 'string',
        'title?': 'string',
        'user?': 'object',
        'date?': 'string',
      },
    ],
    ...hasToken,
  },
  rows: 'photos',
  id: 'image',
  ...byToken,
});
