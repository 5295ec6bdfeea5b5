// Review rows of about 1 kB, parsed once and handed out again and again, so that making rows isn't what is measured.
import { responder } from '../service/responses.mjs';

const responseTo = responder();
const pool = ['token-0', 'token-1', 'token-2'].flatMap((token) => {
  const response = responseTo(`/api/v1/engine/maps/reviews?data_id=x&next_page_token=${token}`);
  return JSON.parse(response.subarray(response.indexOf('\r\n\r\n') + 4)).data.reviews_results;
});

export const rowAt = (i) => pool[i % pool.length];

export const columns = [
  ...['link', 'rating', 'likes', 'date', 'iso_date', 'iso_date_of_last_edit', 'images', 'source', 'review_id', 'snippet'],
  ...['name', 'link', 'contributor_id', 'thumbnail', 'local_guide', 'reviews', 'photos'].map((name) => `user.${name}`),
  ...['price_per_person', 'meal_type', 'noise_level', 'group_size', 'wait_time', 'food', 'service', 'atmosphere'].map(
    (name) => `details.${name}`,
  ),
  ...['iso_date', 'iso_date_of_last_edit', 'date', 'response_from_owner_string'].map((name) => `response.${name}`),
];

const paths = columns.map((column) => column.split('.'));
/** A row as an array of cells, for writers that take arrays. */
export const cells = (row) =>
  paths.map((keys) => {
    let value = row;
    for (const key of keys) value = value?.[key];
    return value !== null && typeof value === 'object' ? JSON.stringify(value) : value;
  });
