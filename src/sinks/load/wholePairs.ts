import { sqlString } from './sqlText.ts';

const surrogate = '[dD][89a-fA-F]..';
export const nulOrSurrogate = `(0000|${surrogate})`;

/** SQL that puts U+FFFD for the escapes in a line of JSON that fit `lost`; pairs of surrogates stay. For PostgreSQL and DuckDB. */
export function withoutHalfPairs(line: string, lost: string): string {
  const pairsApart = `regexp_replace(replace(${line}, '\\\\', chr(1)), '\\\\u([dD][89abAB]..)\\\\u([dD][c-fC-F]..)', chr(2) || '\\1' || chr(2) || '\\2', 'g')`;
  return `replace(replace(regexp_replace(${pairsApart}, '\\\\u${lost}', '\\\\ufffd', 'g'), chr(2), '\\u'), chr(1), '\\\\')`;
}

export const duckdbWhole: readonly string[] = [
  "-- JSON in DuckDB can't hold half a surrogate pair: it becomes U+FFFD.",
  `CREATE OR REPLACE TEMP MACRO whole(line) AS CASE WHEN regexp_matches(line, ${sqlString(`\\\\u${surrogate}`)}) THEN ${withoutHalfPairs('line', surrogate)} ELSE line END;`,
];
