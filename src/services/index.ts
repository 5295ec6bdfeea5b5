import { instead, loadService, type Service } from '../contract/index.ts';

/** The vendors that trawler knows, by name. Each is loaded when it is named. */
const vendors: { readonly [name: string]: () => Promise<Service> } = {
  dataforseo: async () => (await import('./dataforseo/index.ts')).dataForSeo,
  hasdata: async () => (await import('./hasdata/index.ts')).hasData,
  outscraper: async () => (await import('./outscraper/index.ts')).outscraper,
  scrapingdog: async () => (await import('./scrapingdog/index.ts')).scrapingdog,
  searchapi: async () => (await import('./searchapi/index.ts')).searchApi,
  serpapi: async () => (await import('./serpapi/index.ts')).serpApi,
  serper: async () => (await import('./serper/index.ts')).serper,
};

export const vendorNames: readonly string[] = Object.keys(vendors);

/** Whether a text names a vendor, and not a file. */
export function isVendorName(text: string): boolean {
  return /^[\w-]+$/.test(text);
}

/** The vendor of this name, or the service in this file. Throws an Error that says what there is. */
export async function findService(name: string, fileOf: (path: string) => string = (path) => path): Promise<Service> {
  if (!isVendorName(name)) return loadService(fileOf(name));
  if (Object.hasOwn(vendors, name)) return vendors[name]!();
  throw new Error(`there is no service '${name}'${instead(name, vendorNames)}; a service of your own is a file, such as ./${name}.mjs`);
}

/** All vendors, so that an error can name one that has what another lacks. */
export async function allVendors(): Promise<readonly Service[]> {
  return Promise.all(Object.values(vendors).map((load) => load()));
}

/** What to say of a service without operations. */
export function onlyProxied({ name }: Service): string {
  return `${name} describes no operation, so only 'trawler proxy' can use it`;
}

/** Why a service lacks an operation, unless its name is misspelt: it describes none, or other services have it. '' if neither is so. */
export function whyNot(service: Service, others: readonly Service[], call: string): string {
  const { name, operations } = service;
  if (Object.keys(operations).length === 0) return `${onlyProxied(service)}: describe '${call}'`;
  const having = whoHas(others, call);
  return having === '' ? '' : `${name} has no '${call}'; ${having}`;
}

/** Which of these services have an operation or a fan-out, and its parameter: `serpapi and searchapi have it`. '' if none has. */
export function whoHas(services: readonly Service[], call: string, param?: string): string {
  const having = services.filter(({ operations, fanOuts }) => {
    const operation = operations[Object.hasOwn(fanOuts, call) ? fanOuts[call]!.call : call];
    return operation !== undefined && (param === undefined || Object.hasOwn(operation.params, param));
  });
  const names = having.map(({ name }) => name);
  if (names.length === 0) return '';
  return names.length === 1 ? `${names[0]} has it` : `${names.slice(0, -1).join(', ')} and ${names.at(-1)} have it`;
}
