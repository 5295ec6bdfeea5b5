/** The formats of a response's body: the media type to request, and whether each of its lines is a row. */
export const bodyFormats = {
  json: { mediaType: 'application/json', linesAreRows: false },
  ndjson: { mediaType: 'application/x-ndjson', linesAreRows: true },
  csv: { mediaType: 'text/csv', linesAreRows: true },
  xml: { mediaType: 'application/xml', linesAreRows: false },
} as const;

export type BodyFormat = keyof typeof bodyFormats;
