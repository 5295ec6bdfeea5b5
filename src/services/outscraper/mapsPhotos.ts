import { madeOperation } from '../../contract/madeOperation.ts';
import { mapsPhotos as ours } from '../../search/operations/mapsPhotos.ts';
import { country, job, params, place, sent } from './shared.ts';

/** All photos come in one response. They may have more fields than these. */
export const mapsPhotos = madeOperation({
  get: '/google-maps-photos',
  about: 'Photos of one place.',
  query: { ...sent, query: '${data_id}', region: '${country}', tag: '${tag}', photosLimit: '${photosLimit:0}' },
  params: {
    data_id: ours.params.data_id,
    language: params.language,
    country,
    tag: { type: 'string', oneOf: ['all', 'latest', 'menu', 'by_owner'], default: 'all', about: 'which photos' },
    photosLimit: { type: 'integer', min: 0, default: 0, about: 'how many photos; 0: all. Each is charged' },
  },
  response: {
    'data?': [
      {
        ...place,
        photos_data: [
          {
            'photo_url?': 'string',
            'photo_url_big?': 'string',
            'original_photo_url?': 'string',
            'photo_date?': 'string: such as 12/01/2024 10:00:00',
            'photo_tags?': 'unknown',
          },
        ],
      },
    ],
    'status?': 'string',
  },
  rows: 'data.0.photos_data',
  columns: { image: 'photo_url_big', thumbnail: 'photo_url', date: 'photo_date' },
  job,
});
