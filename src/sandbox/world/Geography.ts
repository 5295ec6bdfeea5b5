import { placeBits } from './place.ts';
import { type Town, townsOf } from './towns.ts';
import type { WorldBase } from './WorldBase.ts';

/** A place on the map. */
export interface MapSpot {
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
  readonly #spots = new Map<string, (readonly MapSpot[] | undefined)[]>();
  readonly #searches = new Map<string, readonly MapSpot[]>();

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
    return remember(this.#searches, JSON.stringify([query, view]), () => this.#search(query, view));
  }

  #search(query: string, view: MapView): readonly MapSpot[] {
    const { cap, view: size, beyond } = this.#world.map;
    const [x, y] = mercator(view.latitude, view.longitude);
    // distances in which the edge of the view is at 1
    const pixels = 256 * 2 ** view.zoom;
    const across = (to: number): number => (Math.abs(to - x - Math.round(to - x)) * pixels * 2) / size[0];
    const down = (to: number): number => (Math.abs(to - y) * pixels * 2) / size[1];
    const found: { readonly spot: MapSpot; readonly score: number }[] = [];
    for (const [index, town] of this.towns.entries()) {
      const [townX, townY] = mercator(town.latitude, town.longitude);
      const reach = (1.1 * this.#radius(town)) / 360 / cosine(town.latitude);
      if (across(townX) > 1.5 + across(x + reach) || down(townY) > 1.5 + down(y + reach)) continue;
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
    const towns = remember(this.#spots, query, () => []);
    return (towns[index] ??= this.#draw(query, this.towns[index]!));
  }

  #draw(query: string, town: Town): readonly MapSpot[] {
    const [own, shared] = [this.#world.random('town', town.name, query.toLowerCase()), this.#world.random('town', town.name)];
    // places that exist from the start. The others open later
    const first = Math.round(this.#count(town) * (0.5 + own.next()));
    const spots: MapSpot[] = [];
    for (let k = 0; k < first * 1.3; k++) {
      // every seventh is a landmark, which any query finds
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

/** The cached value of a key, made now if it is missing. The oldest key is dropped. */
function remember<T>(memory: Map<string, T>, key: string, make: () => T): T {
  let value = memory.get(key);
  if (value === undefined) {
    if (memory.size >= remembered) memory.delete(memory.keys().next().value!);
    memory.set(key, (value = make()));
  }
  return value;
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
