import { describe, expect, it } from 'vitest';
import { jobId, pageId } from '../../src/bullmq/JobData.ts';
import { queueName } from '../../src/bullmq/index.ts';

const page = { stage: 'reviews', operation: 'mapsReviews', query: { data_id: '1', next_page_token: 'b' } };

describe('pageId', () => {
  it('is the same whatever the order of the parameters', () => {
    expect(pageId({ ...page, query: { next_page_token: 'b', data_id: '1' } }, 1)).toBe(pageId(page, 1));
  });

  it.each([
    [{ ...page, stage: 'again' }, 1],
    [{ ...page, operation: 'mapsPhotos' }, 1],
    [{ ...page, query: { data_id: '1' } }, 1],
    [{ ...page, query: { data_id: 1, next_page_token: 'b' } }, 1],
    [page, 2],
  ])('is another for %j, attempt %d', (other, attempt) => {
    expect(pageId(other, attempt)).not.toBe(pageId(page, 1));
  });

  it('holds nothing that BullMQ reads as a separator', () => {
    expect(pageId(page, 12)).toMatch(/^[\w-]{22}-12$/);
  });
});

describe('jobId', () => {
  it('is the id of no page', () => {
    const id = pageId(page, 1);
    expect(jobId([{ id }])).toBe(`${id}+1`);
    expect(jobId([{ id }, { id: 'other' }])).toBe(`${id}+2`);
  });
});

describe('queueName', () => {
  it.each([
    ['coffee', 'trawler-coffee'],
    ['Café: the 2nd/3rd', 'trawler-Café-the-2nd-3rd'],
  ])('of %s is %s', (name, queue) => {
    expect(queueName({ name })).toBe(queue);
  });
});
