import { expectTypeOf } from 'vitest';
import type { HotelAd, HotelSearchData, HotelSearchQuery } from '../../src/search/index.ts';

export const query: HotelSearchQuery = {
  query: 'Lisbon',
  check_in_date: '2026-05-01',
  check_out_date: '2026-05-03',
  next_page_token: 'x',
  adults: 2,
  children: 2,
  children_ages: '5,9',
  html: false,
  language: 'en',
  country: 'us',
  currency: 'EUR',
  sort_by: '13',
  min_price: '10',
  max_price: '20',
  property_types: '1',
  amenities: '9',
  rating: '9',
  brands: '33,67',
  hotel_class: '4,5',
  free_cancellation: 'true',
  special_offers: '1',
  eco_certified: '1',
  vacation_rentals: true,
  bedrooms: '2',
  bathrooms: '1',
  property_token: 'x',
};
expectTypeOf<keyof HotelSearchQuery>().toEqualTypeOf<keyof typeof query>();
// @ts-expect-error the days are required
export const noDays: HotelSearchQuery = { query: 'Lisbon' };
// @ts-expect-error a value that doesn't exist
export const wrong: HotelSearchQuery = { query: 'x', check_in_date: '2026-05-01', check_out_date: '2026-05-03', sort_by: '4' };
// @ts-expect-error a text where a number belongs
export const text: HotelSearchQuery = { query: 'x', check_in_date: '2026-05-01', check_out_date: '2026-05-03', adults: '2' };

expectTypeOf<HotelAd>().toEqualTypeOf<{
  readonly title: string;
  readonly source: string;
  readonly source_icon: string;
  readonly link: string;
  readonly property_token: string;
  readonly gps_coordinates: { readonly latitude: number; readonly longitude: number };
  readonly thumbnail: string;
  readonly price: string;
  readonly reviews?: number | null;
  readonly overall_rating?: number | null;
  readonly amenities: readonly string[];
  readonly hotel_class?: number | null;
  readonly free_cancellation: boolean;
}>();
expectTypeOf<HotelSearchData['brands'][number]>().toEqualTypeOf<{
  readonly id: number;
  readonly name: string;
  readonly children: readonly { readonly id: number; readonly name: string }[];
}>();
