/** The formats of a response's body, and the media type to request. */
export const bodyFormats = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  xml: 'application/xml',
} as const;

export type BodyFormat = keyof typeof bodyFormats;
