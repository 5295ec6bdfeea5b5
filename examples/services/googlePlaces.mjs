// Google Places (new): places by words. The header of the fields decides what comes, and what it costs.
import { defineOperation, defineService } from 'trawler';

export default defineService({
  name: 'googlePlaces',
  baseUrl: '/v1',
  headers: { 'x-goog-api-key': '${key}' },
  envelope: { error: 'error', message: 'error.message' },
  failures: [{ at: 'error.status', is: 'RESOURCE_EXHAUSTED', means: 'throttled' }],
  operations: {
    searchText: defineOperation({
      post: '/places:searchText',
      headers: { 'x-goog-fieldmask': '${fields}' },
      about: 'Places by words, 60 at most for a query.',
      params: {
        textQuery: { type: 'string', required: true, about: 'such as "coffee in Berlin"' },
        fields: { type: 'string', required: true, about: 'such as "places.id,nextPageToken"' },
        pageSize: { type: 'integer', min: 1, max: 20, about: 'rows of a page' },
        locationRestriction: { type: 'object', about: 'a rectangle' },
        languageCode: { type: 'string', about: 'such as "en"' },
      },
      response: {
        'places?': [{ id: 'string', 'displayName?': { text: 'string' }, 'formattedAddress?': 'string', 'rating?': 'number' }],
        'nextPageToken?': 'string',
      },
      rows: 'places',
      id: 'id',
      body: { pageToken: '${cursor}' },
      next: 'nextPageToken',
    }),
  },
});
