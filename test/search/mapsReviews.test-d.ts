import { expectTypeOf } from 'vitest';
import type { MapsReview, MapsReviewsData, MapsReviewsQuery, ReviewTopic } from '../../src/search/index.ts';

expectTypeOf<MapsReviewsQuery>().toEqualTypeOf<{
  readonly data_id: string;
  readonly language?: string | undefined;
  readonly sort_by?: 'qualityScore' | 'newestFirst' | 'ratingHigh' | 'ratingLow' | undefined;
  readonly topic_id?: string | undefined;
  readonly next_page_token?: string | undefined;
  readonly results?: number | undefined;
}>();
// @ts-expect-error a value that doesn't exist
export const wrong: MapsReviewsQuery = { data_id: 'x', sort_by: 'newest' };

expectTypeOf<MapsReview>().toEqualTypeOf<{
  readonly link: string;
  readonly rating: number;
  readonly likes?: number | null;
  readonly date: string;
  readonly iso_date: string;
  readonly iso_date_of_last_edit: string;
  readonly images: readonly string[];
  readonly source: string;
  readonly review_id: string;
  readonly snippet: string;
  readonly user: {
    readonly name: string;
    readonly link: string;
    readonly contributor_id: string;
    readonly thumbnail: string;
    readonly local_guide: boolean;
    readonly reviews: number;
    readonly photos: number;
  };
  readonly details?: {
    readonly price_per_person?: string;
    readonly meal_type?: string;
    readonly noise_level?: string;
    readonly group_size?: string;
    readonly wait_time?: string;
    readonly food?: number;
    readonly service?: number;
    readonly atmosphere?: number;
  };
  readonly response?: {
    readonly iso_date: string;
    readonly iso_date_of_last_edit: string;
    readonly date: string;
    readonly response_from_owner_string: string;
  };
}>();
expectTypeOf<ReviewTopic>().toEqualTypeOf<{ readonly keyword: string; readonly mentions: number; readonly id: string }>();
expectTypeOf<MapsReviewsData['locationDetails']>().toEqualTypeOf<{
  readonly address: string;
  readonly rating: number | null;
  readonly reviews: number | null;
}>();
declare const review: MapsReview;
// @ts-expect-error a review may have no response
void review.response.date;
expectTypeOf(review.response?.date).toEqualTypeOf<string | undefined>();
// @ts-expect-error a field that isn't there
void review.user.nmae;
