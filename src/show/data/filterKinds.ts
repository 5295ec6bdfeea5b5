/** A condition that a filter can have. */
interface FilterKind {
  readonly label: string;
  readonly needsValue: boolean;
  /** The condition in SQL, for a cell and the text that the user has given. */
  readonly sql: (cell: string, wanted: string, isNumber: boolean) => string;
}

const nothing = ['', '[]', '{}'];

/** The condition that a cell has no value: NULL, an empty text, list or object. */
export function emptySql(cell: string): string {
  return `(${cell} IS NULL OR ${cell} IN (${nothing.map((text) => `'${text}'`).join(', ')}))`;
}

/** Compares numbers as numbers, and everything else as text. The order of ISO times is that of their text. */
function compares(comparison: '>=' | '<='): Pick<FilterKind, 'sql'> {
  return {
    sql: (cell, wanted, isNumber) =>
      isNumber ? `try_cast(${cell} AS DOUBLE) ${comparison} try_cast(${wanted} AS DOUBLE)` : `${cell} ${comparison} ${wanted}`,
  };
}

export const filterKinds = {
  has: {
    label: 'contains',
    needsValue: true,
    sql: (cell, wanted) => `contains(lower(${cell}), lower(${wanted}))`,
  },
  is: { label: 'is', needsValue: true, sql: (cell, wanted) => `${cell} = ${wanted}` },
  not: {
    label: 'is not',
    needsValue: true,
    sql: (cell, wanted) => `${cell} IS DISTINCT FROM ${wanted}`,
  },
  from: { label: 'is at least', needsValue: true, ...compares('>=') },
  to: { label: 'is at most', needsValue: true, ...compares('<=') },
  empty: { label: 'is empty', needsValue: false, sql: (cell) => emptySql(cell) },
  filled: { label: 'is filled', needsValue: false, sql: (cell) => `NOT ${emptySql(cell)}` },
} as const satisfies { readonly [name: string]: FilterKind };

export type FilterName = keyof typeof filterKinds;

export function isNumeric(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text));
}

/** Whether a column has numbers, as documented. */
export function isNumberType(type: string | undefined): boolean {
  return type === 'integer' || type === 'number';
}
