import { expectTypeOf } from 'vitest';
import type { MapsSearchQuery, Place } from '../../src/search/index.ts';

expectTypeOf<MapsSearchQuery>().toEqualTypeOf<{
  readonly query: string;
  readonly ll?: string | undefined;
  readonly domain?: string | undefined;
  readonly language?: string | undefined;
  readonly country?: string | undefined;
  readonly data?: string | undefined;
  readonly place_id?: string | undefined;
  readonly page?: number | undefined;
}>();
// @ts-expect-error a misspelt name
export const wrong: MapsSearchQuery = { query: 'x', placeId: 'y' };

expectTypeOf<Omit<Place, 'extensions'>>().toEqualTypeOf<{
  readonly title: string;
  readonly place_id: string;
  readonly data_id: string;
  readonly data_cid: string;
  readonly gps_coordinates: { readonly latitude: number; readonly longitude: number };
  readonly provider_id: string;
  readonly rating?: number | null;
  readonly reviews?: number | null;
  readonly price?: string;
  readonly type: string;
  readonly types: readonly string[];
  readonly type_ids: readonly string[];
  readonly address: string;
  readonly open_state: string;
  readonly hours: string;
  readonly operating_hours?: {
    readonly [day in 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday']?: string;
  };
  readonly phone?: string;
  readonly website?: string;
  readonly unclaimed_business?: boolean;
  readonly thumbnail: string;
  readonly image: string;
  readonly engine_maps_url?: string;
  readonly rank: number;
}>();
declare const place: Place;
expectTypeOf(place.extensions[0]!.service_options).toEqualTypeOf<readonly string[] | undefined>();
expectTypeOf(place.extensions[0]!.anything_new).toEqualTypeOf<readonly string[] | undefined>();
// @ts-expect-error a place may have no phone
export const phone: string = place.phone;
