import { range, type World, type WorldQuery } from '../world/World.ts';
import { pageNumbers, stretchOf } from '../world/webPage.ts';
import { ago, dayAgo, phrase, prose, slug, titled } from '../world/words.ts';

/** The most days since a video was published, by the value of `result_time`. */
const oldest: { readonly [time: string]: number | undefined } = { 'qdr:h': 1, 'qdr:d': 1, 'qdr:w': 7, 'qdr:m': 30, 'qdr:y': 365 };

/** E8: videos, ten a page. */
export function videoSearchData(query: WorldQuery, world: World): object {
  const text = String(query['query']);
  const { from, to, page, pages } = stretchOf(world, `videos ${query['result_time'] ?? ''}`, query);
  return {
    videos_results: range(from, to).map((index) => {
      const random = world.random('video', text.toLowerCase(), query['result_time'], index);
      const host = `${slug(phrase(random, 1))}.example`;
      const days = random.int(0, 2500) % (oldest[String(query['result_time']).slice(0, 5)] ?? 2501);
      return {
        title: random.chance(0.1) ? `"${titled(text)}" 🎬 explained` : `${titled(text)}: ${phrase(random, 4)}`,
        image: random.chance(0.1) ? '' : `https://images.engine.example/video/${random.key(12)}`,
        snippet: prose(random, 8, 20),
        link: `https://${host}/watch?v=${random.key(11)}`,
        time: random.chance(0.5) ? ago(days) : dayAgo(days),
        displayed_link: `${host} › watch`,
        favicon: `https://${host}/favicon.ico`,
        extensions: random.chance(0.3) ? [] : [`${random.int(1, 59)}:${random.digits(2)}`, `Uploaded by ${phrase(random, 1)}`],
      };
    }),
    pagination: { page_no2: pageNumbers('/videos', query, page, pages) },
  };
}
