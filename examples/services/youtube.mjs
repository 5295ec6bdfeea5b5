// YouTube's Data API: a search, and the figures of what it found, fifty videos with each request.
import { defineOperation, defineService } from 'trawler';

const video = { id: 'string', snippet: { title: 'string', publishedAt: 'string' }, statistics: { 'viewCount?': 'string' } };

export default defineService({
  name: 'youtube',
  baseUrl: '/youtube/v3',
  query: { key: '${key}' },
  envelope: { error: 'error', message: 'error.message' },
  failures: [
    { status: 403, at: 'error.errors.0.reason', is: 'quotaExceeded', means: 'quota' }, // new at midnight, Pacific time
    { status: 403, at: 'error.errors.0.reason', is: 'rateLimitExceeded', means: 'throttled' },
  ],
  operations: {
    search: defineOperation({
      get: '/search',
      about: 'Videos by words. Costs 100 units.',
      query: { part: 'snippet', type: 'video', maxResults: 50, pageToken: '${cursor}' },
      params: { q: { type: 'string', required: true } },
      rows: 'items',
      row: { id: { videoId: 'string' }, snippet: { title: 'string' } },
      next: 'nextPageToken',
    }),
    videos: defineOperation({
      get: '/videos',
      about: 'Figures of videos. Costs 1 unit.',
      query: { part: 'snippet,statistics', maxResults: 50, id: '${id:comma}' },
      params: { id: { type: 'strings', required: true, batch: 50, about: 'the videos' } },
      rows: 'items',
      row: video,
      id: 'id',
    }),
  },
  fanOuts: { figures: { call: 'videos', with: { id: '$.id.videoId' }, about: 'the figures of each video' } },
});
