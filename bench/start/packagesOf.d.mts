export const packagesOf: { readonly [door: string]: readonly string[] };
