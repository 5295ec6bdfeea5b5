import type { WorldBase } from './WorldBase.ts';

/** An area with places, dense in the middle and thin towards the edge. */
export interface Town {
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
  /** The share of all places that are in it. */
  readonly share: number;
}

/** Latitude and longitude, roughly by size. */
const cities: { readonly [name: string]: readonly [number, number] } = {
  'New York': [40.74, -73.98], Lisbon: [38.72, -9.14], Bern: [46.95, 7.45], London: [51.51, -0.13], Paris: [48.86, 2.35], Berlin: [52.52, 13.4], Tokyo: [35.68, 139.69], 'San Francisco': [37.77, -122.42], Chicago: [41.88, -87.63], 'Los Angeles': [34.05, -118.24], Madrid: [40.42, -3.7], Rome: [41.9, 12.5], Vienna: [48.21, 16.37], Amsterdam: [52.37, 4.9], Munich: [48.14, 11.58], Zurich: [47.37, 8.54], Barcelona: [41.39, 2.17], Toronto: [43.65, -79.38], Austin: [30.27, -97.74], Seattle: [47.61, -122.33], Boston: [42.36, -71.06], Mumbai: [19.08, 72.88], Delhi: [28.61, 77.21], Bangalore: [12.97, 77.59], Singapore: [1.35, 103.82], Sydney: [-33.87, 151.21], Melbourne: [-37.81, 144.96], 'São Paulo': [-23.55, -46.63], 'Mexico City': [19.43, -99.13], Cairo: [30.04, 31.24], Istanbul: [41.01, 28.98], Dubai: [25.2, 55.27], Warsaw: [52.23, 21.01], Prague: [50.08, 14.44], Stockholm: [59.33, 18.07], Dublin: [53.35, -6.26], Nairobi: [-1.29, 36.82], Seoul: [37.57, 126.98], 'Hong Kong': [22.32, 114.17], Suva: [-18.14, 178.44],
}; // prettier-ignore

/** The large cities within the map, and many small towns, most of them tiny, with empty country between. */
export function townsOf(world: WorldBase): readonly Town[] {
  const { places, within } = world.map;
  const [west, south, east, north] = within;
  const random = world.random('towns', ...within, places);
  const found = Object.entries(cities)
    .map(([name, [latitude, longitude]]) => ({ name, latitude, longitude, weight: 4 / (1 + Object.keys(cities).indexOf(name) / 10) }))
    .filter(({ latitude, longitude }) => latitude >= south && latitude <= north && longitude >= west && longitude <= east);
  const small = Math.ceil(Math.sqrt(places) * 1.5);
  for (let index = 0; index < small; index++) {
    const latitude = south + (north - south) * random.next();
    const longitude = west + (east - west) * random.next();
    found.push({ name: `Springfield ${index + 1}`, latitude, longitude, weight: 4 / (found.length + 1) ** 0.9 });
  }
  const all = found.reduce((sum, { weight }) => sum + weight, 0);
  return found.map(({ weight, ...town }) => ({ ...town, share: weight / all }));
}
