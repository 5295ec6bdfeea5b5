import { expectTypeOf } from 'vitest';
import type { PatentDetailsData, PatentDetailsQuery, PatentEvent } from '../../src/search/index.ts';

expectTypeOf<PatentDetailsQuery>().toEqualTypeOf<{
  readonly patent_id: string;
  readonly language?: string | undefined;
  readonly html?: boolean | undefined;
}>();
// @ts-expect-error patent_id is required
export const empty: PatentDetailsQuery = { language: 'en' };

expectTypeOf<Omit<PatentDetailsData, 'events'>>().toEqualTypeOf<{
  readonly title: string;
  readonly type: string;
  readonly pdf: string;
  readonly publication_number: string;
  readonly country: string;
  readonly application_number: string;
  readonly prior_art_keywords: readonly string[];
  readonly prior_art_date: string;
  readonly priority_date: string;
  readonly filing_date: string;
  readonly publication_date: string;
  readonly inventors: readonly { readonly name: string; readonly link: string }[];
  readonly assignees: readonly string[];
  readonly worldwide_applications: {
    readonly [year: string]:
      | readonly {
          readonly filing_date: string;
          readonly country_code: string;
          readonly application_number: string;
          readonly document_id: string;
          readonly legal_status_cat: string;
          readonly legal_status: string;
        }[]
      | undefined;
  };
  readonly external_links: readonly { readonly text: string; readonly link: string }[];
  readonly images: readonly string[];
  readonly classifications: readonly {
    readonly code: string;
    readonly description: string;
    readonly leaf: boolean;
    readonly first_code: boolean;
    readonly is_cpc: boolean;
  }[];
  readonly abstract: string;
}>();
expectTypeOf<PatentDetailsData['events']>().toEqualTypeOf<readonly PatentEvent[]>();
expectTypeOf<PatentEvent['critical']>().toEqualTypeOf<boolean>();
expectTypeOf<PatentEvent['document_id']>().toEqualTypeOf<string | undefined>();
expectTypeOf<PatentEvent['assignee_search']>().toEqualTypeOf<string | undefined>();
expectTypeOf<PatentEvent['current']>().toEqualTypeOf<boolean | undefined>();
expectTypeOf<'legal-status' | 'anything else'>().toExtend<PatentEvent['type']>();
expectTypeOf<number>().not.toExtend<PatentEvent['type']>();
