import { SandboxRefusal } from '../SandboxRefusal.ts';
import { references, textBlocks } from '../world/generated.ts';
import type { World, WorldQuery } from '../world/World.ts';

/** E6: the overview behind a web search's `ai_overview_url`. Once that has expired, an error with code 410. */
export function aiOverviewData(query: WorldQuery, world: World): object {
  const token = /[?&]ei=([^&]+)/.exec(String(query['url']))?.[1] ?? '';
  const [text, issued] = world.open('overview', 'url', token);
  if (world.now() - Number(issued) > world.overviewTtlMs) {
    throw new SandboxRefusal(200, 'url: it has expired; search again and request the new one at once', 410);
  }
  const words = String(text);
  return { ai_overview: { text_blocks: textBlocks(world, words, 'overview', false), references: references(world, words, 'overview', 1) } };
}
