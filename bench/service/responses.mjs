// Responses rendered once: search pages of 20 places with ids of their own, review pages of rows of 1.3 kB.
const words =
  'café crème the barista knew our order before we sat down — résumé of a morning: quiet corner, warm light, très bien “lovely” flat white 👍 and'.split(
    ' ',
  );
let state = 7;
const random = (n) => (state = (state * 1103515245 + 12345) & 0x7fffffff) % n;
const text = (n) => Array.from({ length: n }, () => words[random(words.length)]).join(' ');

const place = (id) => ({
  title: `Café ${text(3)}`,
  place_id: `ChIJ${id}`,
  data_id: `0x${id}:0x${id}`,
  data_cid: `${id}`,
  gps_coordinates: { latitude: 40.74 + random(1000) / 1e5, longitude: -73.98 - random(1000) / 1e5 },
  provider_id: `/g/${id}`,
  rating: 4.5,
  reviews: 60,
  price: '$$',
  type: 'Coffee shop',
  types: ['Coffee shop', 'Cafe', 'Bakery'],
  type_ids: ['coffee_shop', 'cafe', 'bakery'],
  extensions: [{ service_options: ['Dine-in', 'Takeaway'] }, { highlights: ['Great coffee'] }, { payments: ['Cards'] }],
  address: `${id} Broadway, New York, NY`,
  open_state: 'Open',
  hours: 'Open until 18:00',
  operating_hours: {
    monday: '7-18',
    tuesday: '7-18',
    wednesday: '7-18',
    thursday: '7-18',
    friday: '7-18',
    saturday: '8-18',
    sunday: '8-18',
  },
  phone: '+1 212-555-0100',
  website: 'https://cafe.example/',
  thumbnail: 'https://images.example/t.jpg',
  image: 'https://images.example/i.jpg',
  engine_maps_url: 'https://maps.example/place',
  rank: 1,
});

const review = (n) => ({
  link: `https://maps.example/review/${n}`,
  rating: 1 + (n % 5),
  likes: n % 7,
  date: '2 weeks ago',
  iso_date: '2026-05-01T10:00:00.000Z',
  iso_date_of_last_edit: '2026-05-02T10:00:00.000Z',
  images: ['https://images.example/r1.jpg', 'https://images.example/r2.jpg'],
  source: 'maps',
  review_id: `review-${n}`,
  snippet: text(45),
  user: {
    name: `Zoë ${n}`,
    link: 'https://maps.example/user/118',
    contributor_id: '118273645091827364509',
    thumbnail: 'https://images.example/u.jpg',
    local_guide: n % 2 === 0,
    reviews: n % 90,
    photos: n % 40,
  },
  details: { price_per_person: '$10–20', meal_type: 'Breakfast', food: 5, service: 4, atmosphere: 5 },
  response: {
    iso_date: '2026-05-03T10:00:00.000Z',
    iso_date_of_last_edit: '2026-05-03T10:00:00.000Z',
    date: '1 week ago',
    response_from_owner_string: text(30),
  },
});

const response = (data) => {
  const body = Buffer.from(
    JSON.stringify({ code: 200, message: 'success', data, requestId: '7b1c0c0e-57a5-4c3c-9a55-0f6f0a0b7c11', timestamp: 1767225600000 }),
  );
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=60\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
};

export const reviewPages = 3;
export const placesPerPage = 20;
export const searchPages = 5;

const topics = [{ keyword: 'espresso', mentions: 12, id: 't1' }];
const reviewsOf = (rows, change) =>
  Array.from({ length: reviewPages }, (_, page) =>
    response({
      locationDetails: { address: '1 Broadway', rating: 4.5, reviews: reviewPages * rows },
      topics,
      reviews_results: Array.from({ length: rows }, (_, i) => change(review(page * rows + i))),
      ...(page < reviewPages - 1 ? { next_page_token: `token-${page + 1}` } : {}),
    }),
  );

const suggestions = response({
  suggestions: Array.from({ length: 10 }, (_, i) => ({ value: `coffee ${i}`, relevance: 600 - i, type: 'QUERY' })),
  verbatim_relevance: 851,
});
const searches = new Map();

/** Makes a function from a request's target to the whole HTTP response. `change` may change a review. */
export function responder({ rows = 20, change = (row) => row } = {}) {
  const reviews = reviewsOf(rows, change);
  return (target) => {
    const url = new URL(target, 'http://x');
    const query = url.searchParams;
    if (url.pathname.endsWith('/maps/reviews')) return reviews[Number((query.get('next_page_token') ?? 'token-0').slice(6))];
    if (url.pathname.endsWith('/autocomplete')) return suggestions;
    return searchPage(query.get('query'), query.get('page') ?? '0');
  };
}

function searchPage(text, offset) {
  const key = `${text}/${offset}`;
  let page = searches.get(key);
  if (page === undefined) {
    const first = Number(/\d+$/.exec(text)?.[0] ?? 0) * 1000 + Number(offset);
    const rows =
      Number(offset) / placesPerPage < searchPages ? Array.from({ length: placesPerPage }, (_, i) => place(1_000_000 + first + i)) : [];
    page = response({ search_results: rows });
    if (searches.size < 20_000) searches.set(key, page);
  }
  return page;
}
