import { madeOperation } from '../../contract/madeOperation.ts';
import { newsSearch as ours } from '../../search/operations/newsSearch.ts';
import { shared } from '../../search/shared.ts';
import { news } from './shared.ts';

const { topic_token, publication_token, section_token, so } = ours.params;

/** A request has one of topic, publication and story, and no words. */
export const newsTopic = madeOperation({
  ...news,
  about: 'The news of one topic, publication or story.',
  query: {
    topicToken: '${topic_token}',
    publicationToken: '${publication_token}',
    storyToken: '${story_token}',
    sectionToken: '${section_token}',
    gl: '${country}',
    hl: '${language}',
  },
  params: {
    topic_token,
    publication_token,
    story_token: { type: 'string', from: 'an earlier response', about: 'one story' },
    section_token,
    so,
    country: shared.country,
    language: shared.language,
  },
});
