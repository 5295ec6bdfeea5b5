import { range, type World, type WorldQuery } from '../world/World.ts';
import type { Random } from '../world/Random.ts';
import { phrase, prose, shortCount, slug, titled } from '../world/words.ts';

const perPage = 10;

/** The token that opens a product, whatever its name. */
export function productToken(world: World, name: string): string {
  return world.seal('product', name);
}

/** The lowest price of a product: in a list of options, and at its first seller. */
export function priceOf(world: World, name: string): number {
  return world.random('price', name).int(300, 90_000) / 100;
}

/** E13: a product and its first three sellers, or with `stores` ten from `sori` on. Its `more_options` open other products. */
export function immersiveProductData(query: WorldQuery, world: World): object {
  const name = String(world.open('product', 'page_token', String(query['page_token']))[0]);
  const random = world.random('product', name, query['country']);
  const [more, from] = [query['stores'] === true, Number(query['sori'] ?? 0)];
  const total = world.endless ? Infinity : random.int(3, 26);
  const price = priceOf(world, name);
  const id = random.key(10);
  return {
    thumbnails: range(0, random.int(0, 4)).map((index) => `https://images.engine.example/product/${id}/${index}`),
    title: titled(name),
    brand: random.chance(0.2) ? '' : phrase(random, 1),
    reviews: random.int(0, 9000),
    rating: String(random.int(20, 50) / 10),
    price_range: `$${price.toFixed(2)} - $${(price * 1.3).toFixed(2)}`,
    stores: range(from, Math.min(total, from + (more ? perPage : 3))).map((index) =>
      store(world.random('store', name, index), name, index === 0 ? price : undefined, price),
    ),
    about_the_product: {
      title: titled(name),
      link: `https://${slug(name) || 'product'}.example/`,
      icon: '',
      displayed_link: `${slug(name) || 'product'}.example`,
      features: random.some(['Colour', 'Width (")', 'Weight', 'Made of'], 0, 4).map((title) => ({ title, value: phrase(random, 2) })),
      description: prose(random, 15, 40),
    },
    more_options: range(0, random.int(1, 4)).map(() => {
      const other = `${phrase(random, 1).toLowerCase()} ${name.split(' ').at(-1)}`;
      return {
        title: titled(other),
        thumbnail: `https://images.engine.example/product/${random.key(10)}/0`,
        price: `$${priceOf(world, other).toFixed(2)}`,
        ...(random.chance(0.3) ? { previous_price: `$${(priceOf(world, other) * 1.2).toFixed(2)}` } : {}),
        token: productToken(world, other),
      };
    }),
  };
}

function store(random: Random, name: string, exact: number | undefined, around: number): object {
  const seller = `${phrase(random, 1)} ${random.pick(['Store', 'Outlet', '"Direct"', '& Co., Ltd.'])}`;
  const price = exact ?? around * (1 + random.next() * 0.3);
  const delivery = random.chance(0.5) ? 0 : random.int(2, 12);
  return {
    name: seller,
    link: `https://${slug(seller)}.example/item/${random.digits(7)}`,
    favicon: `https://${slug(seller)}.example/favicon.ico`,
    title: prose(random, 2, 6).includes('=') ? `=${name}` : titled(name),
    ratings: random.chance(0.2) ? '' : `${random.int(30, 50) / 10}/5`,
    reviews: random.chance(0.2) ? '' : `(${shortCount(random.int(1, 30_000))})`,
    payment_method: random.chance(0.5) ? '' : 'Card, on account',
    extensions: random.some(['In stock online', 'Free 30-day returns', 'Pre-owned'], 0, 2),
    price: `$${price.toFixed(2)}`,
    ...(random.chance(0.25) ? { original_price: `$${(price * 1.2).toFixed(2)}` } : {}),
    delivery_fee: delivery === 0 ? 'Free' : `$${delivery}.00`,
    tax: random.chance(0.3) ? '' : `$${(price * 0.08).toFixed(2)}`,
    total_price: `$${(price * 1.08 + delivery).toFixed(2)}`,
  };
}
