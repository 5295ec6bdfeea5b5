import { describe, expect, it } from 'vitest';
import { columnsOf, defineOperation } from '../../src/contract/index.ts';
import { operations } from '../../src/search/index.ts';

const organic = 'title,displayed_link,snippet,date,missing,link,favicon,rank,page_rank';

// By hand, so that a change of the data is seen here.
const headers = {
  webSearch: organic,
  lightSearch: organic,
  mobileSearch: organic,
  autocomplete: 'value,relevance,type',
  aiMode: 'inline_images,text_blocks,references,local_results',
  aiOverview: 'ai_overview.text_blocks,ai_overview.references',
  imageSearch:
    'title,image,source,original,link,original_height,original_width,original_size,know_more_link,rank,is_product,is_licensable,is_video',
  videoSearch: 'title,image,snippet,link,time,displayed_link,favicon,extensions',
  newsSearch: 'title,link,thumbnail,source,icon,authors,date,rank,stories',
  jobSearch:
    'title,company_name,location,via,share_link,thumbnail,detected_extensions,description,job_highlights,apply_options,job_id,extensions',
  financeSearch:
    'markets.US,markets.Europe,markets.Asia,markets.Currencies,markets.Crypto,markets.Futures,' +
    'summary.title,summary.stock,summary.price,summary.extracted_price,summary.price_movement.percentage,' +
    'summary.price_movement.value,summary.price_movement.movement,summary.extensions,graph,' +
    'knowledge_graph.key_stats.tags,knowledge_graph.key_stats.stats,knowledge_graph.about,' +
    'market_news,financials.quarterly,financials.annually,discover_more',
  hotelSearch:
    'title,source,source_icon,link,property_token,gps_coordinates.latitude,gps_coordinates.longitude,thumbnail,price,reviews,' +
    'overall_rating,amenities,hotel_class,free_cancellation',
  immersiveProduct: 'name,link,favicon,title,ratings,reviews,payment_method,extensions,price,original_price,delivery_fee,tax,total_price',
  mapsSearch:
    'title,place_id,data_id,data_cid,gps_coordinates.latitude,gps_coordinates.longitude,provider_id,rating,reviews,price,type,types,' +
    'type_ids,extensions,address,open_state,hours,operating_hours.monday,operating_hours.tuesday,operating_hours.wednesday,' +
    'operating_hours.thursday,operating_hours.friday,operating_hours.saturday,operating_hours.sunday,phone,website,' +
    'unclaimed_business,thumbnail,image,engine_maps_url,rank',
  mapsReviews:
    'link,rating,likes,date,iso_date,iso_date_of_last_edit,images,source,review_id,snippet,user.name,user.link,user.contributor_id,' +
    'user.thumbnail,user.local_guide,user.reviews,user.photos,details.price_per_person,details.meal_type,details.noise_level,' +
    'details.group_size,details.wait_time,details.food,details.service,details.atmosphere,response.iso_date,' +
    'response.iso_date_of_last_edit,response.date,response.response_from_owner_string',
  mapsPhotos: 'thumbnail,image',
  mapsPosts: 'description,date,image,link',
  scholarSearch:
    'title,title_link,id,type,displayed_link,snippet,authors,inline_links.versions.total,inline_links.versions.link,' +
    'inline_links.versions.cluster_id,inline_links.cited_by.total,inline_links.cited_by.link,inline_links.related_pages_link,resources',
  scholarAuthor: 'title,link,citation_id,authors,publication,year,cited_by.value,cited_by.link,cited_by.citation_id',
  scholarProfiles: 'title,link,author_id,affiliations,email,cited_by,thumbnail,interests',
  patentDetails:
    'title,type,pdf,publication_number,country,application_number,prior_art_keywords,prior_art_date,priority_date,filing_date,' +
    'publication_date,inventors,assignees,worldwide_applications,events,external_links,images,classifications,abstract',
} as const;

describe('columnsOf', () => {
  it.each(Object.entries(headers))('gives the documented fields of %s in order', (name, header) => {
    const columns = columnsOf(operations[name as keyof typeof headers]);
    expect(columns.map(({ path }) => path).join(',')).toBe(header);
    expect(columns.map(({ keys }) => keys.join('.')).join(',')).toBe(header);
  });

  it('gives the columns of another list, by its dotted path', () => {
    const paths = (operation: (typeof operations)[keyof typeof operations], list: string | null) =>
      columnsOf(operation, list).map(({ path }) => path);
    expect(paths(operations.mapsReviews, 'topics')).toEqual(['keyword', 'mentions', 'id']);
    expect(paths(operations.financeSearch, 'markets.US')).toContain('price_movement.percentage');
    expect(paths(operations.aiOverview, 'ai_overview.references')).toEqual(['title', 'link', 'snippet', 'source', 'index']);
    expect(paths(operations.aiMode, 'text_blocks')).toEqual(['type', 'snippet', 'text', 'level', 'items']);
    expect(paths(operations.mapsPosts, null)).toEqual(['location_details.name', 'location_details.logo', 'post_data', 'next_page_token']);
  });

  it('has no columns for a list with undocumented rows', () => {
    expect(columnsOf(operations.hotelSearch, 'properties')).toEqual([]);
    expect(columnsOf(operations.scholarAuthor, 'co_authors')).toEqual([]);
    expect(columnsOf(operations.hotelSearch, 'brands.id')).toEqual([]);
  });

  it('says of what type each column is', () => {
    const operation = defineOperation({
      name: 'test',
      title: 'Test',
      group: 'Test',
      get: '/test',
      about: 'Test.',
      params: {},
      response: {
        rows: [
          {
            a: 'string: remark',
            'b?': 'integer|null',
            c: 'number',
            d: 'boolean',
            e: ['string'],
            f: { $map: 'string' },
            g: 'object',
            h: 'unknown',
            i: { $nullable: { j: '=x|y' } },
            k: 'number|string',
            l: { $oneOf: [{ m: 'string' }, { m: 'integer', n: 'string' }] },
          },
        ],
      },
      rows: 'rows',
    });
    expect(Object.fromEntries(columnsOf(operation).map(({ path, type }) => [path, type]))).toEqual({
      a: 'string',
      b: 'integer',
      c: 'number',
      d: 'boolean',
      e: 'json',
      f: 'json',
      g: 'json',
      h: 'json',
      'i.j': 'string',
      k: 'string',
      'l.m': 'string',
      'l.n': 'string',
    });
  });

  it('makes the columns once', () => {
    expect(columnsOf(operations.mapsReviews)).toBe(columnsOf(operations.mapsReviews));
  });
});
