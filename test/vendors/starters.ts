import { startDataForSeo } from './dataForSeo.ts';
import { startHasData } from './hasData.ts';
import { startOutscraper } from './outscraper.ts';
import { startScrapingDog } from './scrapingDog.ts';
import { startSearchApi } from './searchApi.ts';
import { startSerpApi } from './serpApi.ts';
import { startSerper } from './serper.ts';
import type { StandIn, StandInOptions } from './standIn.ts';

/** The stand-ins by the name of the vendor. */
export const starters: { readonly [vendor: string]: (options?: StandInOptions) => Promise<StandIn> } = {
  serper: startSerper,
  serpapi: startSerpApi,
  searchapi: startSearchApi,
  scrapingdog: startScrapingDog,
  hasdata: startHasData,
  dataforseo: startDataForSeo,
  outscraper: startOutscraper,
};
