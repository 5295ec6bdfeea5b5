import { LruCache } from '../../../operators/kit/LruCache.ts';
import { placeBits } from './place.ts';
import type { WorldBase } from './mapOptions.ts';

/** A place on the map. */
interface MapSpot {
  /** On a square map of size 1, as web maps draw it. */
  readonly x: number;
  readonly y: number;
  /** From 0 to 1. A search ranks by this and the distance. */
  readonly fame: number;
  /** The day it opens and the day it closes. 0 and Infinity for most. */
  readonly opens: number;
  readonly closes: number;
  /** The id that the rest of the place is computed from. */
  readonly bits: string;
}

/** A part of the map: a centre and a zoom. */
export interface MapView {
  readonly latitude: number;
  readonly longitude: number;
  readonly zoom: number;
}

const kmPerDegree = 111.2;
/** How many query texts and searches are cached. */
const remembered = 64;

/** Finds places on the map. The places of a town are generated at the first search there. */
export class Geography {
  readonly #world: WorldBase;
  #towns: readonly Town[] | undefined;
  readonly #spots = new LruCache<string, (readonly MapSpot[] | undefined)[]>(remembered);
  readonly #searches = new LruCache<string, readonly MapSpot[]>(remembered);

  constructor(world: WorldBase) {
    this.#world = world;
  }

  get towns(): readonly Town[] {
    return (this.#towns ??= townsOf(this.#world));
  }

  /** Every place that matches a query, anywhere. */
  all(query: string): MapSpot[] {
    return this.towns.flatMap((_, index) => this.#inTown(query, index)).filter((spot) => this.#isOpen(spot));
  }

  /** The results of `query` in a view, best first: the places in it, and a few from just outside. */
  search(query: string, view: MapView): readonly MapSpot[] {
    return this.#searches.use(JSON.stringify([query, view]), () => this.#search(query, view));
  }

  #search(query: string, view: MapView): readonly MapSpot[] {
    const { cap, view: size, beyond } = this.#world.map;
    const [x, y] = mercator(view.latitude, view.longitude);
    // distances in units in which the edge of the view is at 1
    const pixels = 256 * 2 ** view.zoom;
    const across = (to: number): number => (Math.abs(to - x - Math.round(to - x)) * pixels * 2) / size[0];
    const down = (to: number): number => (Math.abs(to - y) * pixels * 2) / size[1];
    const found: { readonly spot: MapSpot; readonly score: number }[] = [];
    for (const [index, town] of this.towns.entries()) {
      const [townX, townY] = mercator(town.latitude, town.longitude);
      const radius = (1.1 * this.#radius(town)) / 360 / cosine(town.latitude);
      if (across(townX) > 1.5 + across(x + radius) || down(townY) > 1.5 + down(y + radius)) continue;
      for (const spot of this.#inTown(query, index)) {
        if (!this.#isOpen(spot)) continue;
        const [right, up] = [across(spot.x), down(spot.y)];
        const out = Math.max(right, up);
        if (out > 1.5) continue;
        if (out > 1 && !this.#world.random('beyond', spot.bits, view.latitude, view.longitude, view.zoom).chance(beyond)) continue;
        found.push({ spot, score: spot.fame - Math.hypot(right, up) / 3 });
      }
    }
    found.sort((a, b) => b.score - a.score);
    return found.slice(0, cap).map(({ spot }) => spot);
  }

  #isOpen({ opens, closes }: MapSpot): boolean {
    return opens <= this.#world.day && this.#world.day < closes;
  }

  #count({ share }: Town): number {
    return share * this.#world.map.places;
  }

  /** The radius of a town, in degrees of latitude. */
  #radius(town: Town): number {
    return (0.7 * Math.sqrt(this.#count(town))) / kmPerDegree;
  }

  #inTown(query: string, index: number): readonly MapSpot[] {
    const towns = this.#spots.use(query, () => []);
    return (towns[index] ??= this.#draw(query, this.towns[index]!));
  }

  #draw(query: string, town: Town): readonly MapSpot[] {
    const [own, shared] = [this.#world.random('town', town.name, query.toLowerCase()), this.#world.random('town', town.name)];
    // these exist from the start, the others open later
    const first = Math.round(this.#count(town) * (0.5 + own.next()));
    const spots: MapSpot[] = [];
    for (let k = 0; k < first * 1.3; k++) {
      // every seventh is a landmark, which every query finds
      const landmark = k % 7 === 6;
      const random = landmark ? shared : own;
      const distance = this.#radius(town) * random.next() ** 1.7;
      const angle = random.next() * 2 * Math.PI;
      const latitude = town.latitude + distance * Math.sin(angle);
      const longitude = town.longitude + (distance * Math.cos(angle)) / cosine(town.latitude);
      const [fame, closes] = [random.next(), random.chance(0.3) ? random.int(1, 100) : Infinity];
      const opens = k < first ? 0 : random.int(1, 100);
      const place = placeBits(random, landmark ? undefined : query, latitude, longitude);
      const [x, y] = mercator(place.latitude, place.longitude);
      spots.push({ x, y, fame, opens, closes, bits: place.bits });
    }
    return spots;
  }
}

/** How much narrower a degree of longitude is than one of latitude. */
function cosine(latitude: number): number {
  return Math.max(0.05, Math.cos((latitude * Math.PI) / 180));
}

/** A position on a square map of size 1. */
function mercator(latitude: number, longitude: number): readonly [number, number] {
  const sine = Math.sin((Math.max(-85.0511, Math.min(85.0511, latitude)) * Math.PI) / 180);
  return [(longitude + 180) / 360, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
}

/** An area with places, dense in the middle and thin towards the edge. */
interface Town {
  readonly name: string;
  readonly latitude: number;
  readonly longitude: number;
  /** The share of all places that are in it. */
  readonly share: number;
}

/** Latitude and longitude, roughly by size. */
const cities: { readonly [name: string]: readonly [number, number] } = {
  'New York': [40.74, -73.98], Lisbon: [38.72, -9.14], Bern: [46.95, 7.45], London: [51.51, -0.13], Paris: [48.86, 2.35],
  Berlin: [52.52, 13.4], Tokyo: [35.68, 139.69], 'San Francisco': [37.77, -122.42], Chicago: [41.88, -87.63],
  'Los Angeles': [34.05, -118.24], Madrid: [40.42, -3.7], Rome: [41.9, 12.5], Vienna: [48.21, 16.37], Amsterdam: [52.37, 4.9],
  Munich: [48.14, 11.58], Zurich: [47.37, 8.54], Barcelona: [41.39, 2.17], Toronto: [43.65, -79.38], Austin: [30.27, -97.74],
  Seattle: [47.61, -122.33], Boston: [42.36, -71.06], Mumbai: [19.08, 72.88], Delhi: [28.61, 77.21], Bangalore: [12.97, 77.59],
  Singapore: [1.35, 103.82], Sydney: [-33.87, 151.21], Melbourne: [-37.81, 144.96], 'São Paulo': [-23.55, -46.63],
  'Mexico City': [19.43, -99.13], Cairo: [30.04, 31.24], Istanbul: [41.01, 28.98], Dubai: [25.2, 55.27], Warsaw: [52.23, 21.01],
  Prague: [50.08, 14.44], Stockholm: [59.33, 18.07], Dublin: [53.35, -6.26], Nairobi: [-1.29, 36.82], Seoul: [37.57, 126.98],
  'Hong Kong': [22.32, 114.17], Suva: [-18.14, 178.44],
}; // prettier-ignore

/** The large cities within the map, and many small towns, with empty country between them. */
function townsOf(world: WorldBase): readonly Town[] {
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
