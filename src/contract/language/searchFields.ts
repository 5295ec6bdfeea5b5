import { dataPath, object, param, path, rowPath, yes } from '../../../operators/options/fieldKinds.ts';
import { either, flag, like, listOf, number, oneOf, tableOf, text, whole } from '../../../operators/options/kinds.ts';
import { declareFields, OptionKind } from '../../../operators/options/OptionSet.ts';
import type { AreaSpec, Splits, YearSpec } from '../../../operators/split/Splits.ts';
import type { AnswerSpec, FanOutPart, SearchParam } from '../SearchWords.ts';

export const plainValue = either(text(), number(), flag());

export const splitsFields = declareFields<Splits>()({
  full: whole({ from: 1 }).needed(),
  area: object(
    declareFields<AreaSpec>()({
      param: param().needed(),
      write: text().needed(),
      latitude: rowPath().needed(),
      longitude: rowPath().needed(),
      words: param().needed(),
      zoom: like<readonly [number, number]>(
        'two numbers',
        (zoom) => Array.isArray(zoom) && zoom.length === 2 && zoom.every(Number.isFinite),
      ).needed(),
      sight: like<readonly [number, number]>(
        'two numbers above 0',
        (sight) => Array.isArray(sight) && sight.length === 2 && sight.every((tiles) => Number.isFinite(tiles) && tiles > 0),
      ),
    }),
  ),
  year: object(declareFields<YearSpec>()({ first: param().needed(), last: param().needed() })),
});

/** The fields that only services of search data need. The reference has a page of its own for them. */
export const searchOperation = {
  title: text(),
  listUndocumented: yes(),
  estimates: dataPath(),
  recheck: oneOf('always'),
  splits: object<Splits>(splitsFields),
  answer: object<AnswerSpec>(declareFields<AnswerSpec>()({ blocks: dataPath().needed(), references: dataPath().needed() })),
  columns: tableOf(path()),
};
const { fits, more } = tableOf(plainValue);
/** A list here is meant as the only values of a parameter. */
const sentValues = new OptionKind<NonNullable<SearchParam['values']>>(
  'an object of values and what is sent for them (the only values go into oneOf)',
  fits,
  undefined,
  more,
);
export const searchParam = { known: listOf(text()), values: sentValues, step: whole({ from: 1 }), from: text() };
export const searchAccount = { used: path() };
export const searchEnvelope = { requestId: path(), timestamp: path() };

export const fanOutSource = text("a source such as '$.id'");
export const partFields = declareFields<FanOutPart>()({ of: fanOutSource.needed(), before: text(), split: text(), param: text() });
export const searchFanOut = {
  rows: either(
    text("a list's path"),
    like<null>('null', (rows) => rows === null),
  ),
  by: listOf(text()),
  unlessZero: listOf(fanOutSource),
  claims: fanOutSource,
  walks: yes(),
  expires: yes(),
};
