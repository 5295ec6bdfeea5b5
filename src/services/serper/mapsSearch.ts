import { madeOperation } from '../../contract/Operation.ts';
import { mapsSearch as ours } from '../../search/operations/mapsSearch.ts';
import { body, filters, paging, params } from './shared.ts';

export const mapsSearch = madeOperation({
  post: '/maps',
  about: 'Places on the map.',
  body: { ...body, ll: '${ll}', page: '${page}' },
  params: { ...params, ll: ours.params.ll, page: filters.page },
  response: {
    'places?': [
      {
        position: 'integer',
        title: 'string',
        'address?': 'string',
        latitude: 'number',
        longitude: 'number',
        'rating?': 'number',
        'ratingCount?': 'integer',
        'priceLevel?': 'string',
        'type?': 'string',
        'types?': ['string'],
        'website?': 'string',
        'phoneNumber?': 'string',
        'openingHours?': { $map: 'string' },
        'description?': 'string',
        'thumbnailUrl?': 'string',
        'bookingLinks?': 'array',
        cid: 'string',
        'fid?': 'string',
        'placeId?': 'string',
      },
    ],
    'll?': 'string',
    'credits?': 'integer',
  },
  list: 'places',
  id: 'cid',
  paging: { ...paging, needs: ['ll'] },
});
