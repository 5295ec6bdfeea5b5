const areas = ['@turf/bbox-clip', '@turf/boolean-point-in-polygon'];

/** The packages that each door needs as soon as it is imported. */
export const packagesOf = {
  trawler: ['rxjs', 'undici'],
  'trawler/operators': ['rxjs', ...areas],
  'trawler/sinks': ['rxjs'],
  'trawler/store': [],
  'trawler/flow': ['rxjs', 'zod', ...areas],
  'trawler/sandbox': [],
  'trawler/bullmq': ['rxjs', 'undici', 'zod', ...areas, 'bullmq'],
  'trawler/testing': ['rxjs', 'undici'],
  'trawler/proxy': ['rxjs', 'undici'],
  'trawler/services/dataforseo': [],
  'trawler/services/hasdata': [],
  'trawler/services/outscraper': [],
  'trawler/services/scrapingdog': [],
  'trawler/services/searchapi': [],
  'trawler/services/serpapi': [],
  'trawler/services/serper': [],
};
