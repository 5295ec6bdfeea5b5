import { of } from 'rxjs';
import type { OffsetPaging, PageFactory, PageLike, WalkEvent } from '../../../operators/index.ts';
import { mapsSearch } from '../../../src/search/operations/mapsSearch.ts';
import type { MapOptions } from '../../../src/sandbox/world/mapOptions.ts';
import { World } from '../../../src/sandbox/world/World.ts';

export interface Found {
  readonly data_id: string;
  readonly gps_coordinates: { readonly latitude: number; readonly longitude: number };
}
export interface MapQuery {
  readonly query: string;
  readonly ll?: string;
  readonly page?: number;
}
export interface MapPage extends PageLike {
  readonly query: MapQuery;
  readonly items: readonly Found[];
}
export interface MapFactory extends PageFactory<MapQuery, MapPage, OffsetPaging> {
  readonly requests: MapQuery[];
  readonly events: WalkEvent[];
  readonly all: (query: string) => Found[];
}

/** A search of the sandbox's map, without a socket in between. */
export function mapFactory(map: MapOptions, seed = 'trawler'): MapFactory {
  const world = new World({ seed, now: () => 0, map });
  const requests: MapQuery[] = [];
  const events: WalkEvent[] = [];
  const found = ({ x, y, bits }: { readonly x: number; readonly y: number; readonly bits: string }): Found => ({
    data_id: bits,
    gps_coordinates: { longitude: x * 360 - 180, latitude: (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI },
  });
  const factory = (query: MapQuery): ReturnType<MapFactory> => {
    requests.push(query);
    const [latitude = 0, longitude = 0, zoom = 0] = query.ll!.slice(1).split(',').map(Number.parseFloat);
    const items = world.geography
      .search(query.query, { latitude, longitude, zoom })
      .slice(query.page ?? 0, (query.page ?? 0) + 20)
      .map(found);
    return of({ operation: 'mapsSearch', query, data: { search_results: items }, items });
  };
  const { spec } = mapsSearch;
  return Object.assign(factory, {
    paging: spec.paging,
    spec,
    requests,
    events,
    notify: (event: WalkEvent) => void events.push(event),
    all: (query: string) => world.geography.all(query).map(found),
  });
}
