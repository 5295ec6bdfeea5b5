import { countOf } from '../../../operators/kit/countOf.ts';
import { parsedJson } from '../../../operators/kit/parsedJson.ts';
import { h, type Child } from './dom.ts';

const picture = /(^|[_.])(thumbnail|image|photo|icon|logo|avatar)s?$|\.(png|jpe?g|gif|webp)$/i;
const longest = 300; // the server cuts longer cells, so an address of this length may be incomplete

/**
 * A text, as a link if it is an address or a phone number. Pictures aren't loaded, because the page requests nothing from the network.
 */
export function linkedText(name: string, text: string, isShort: boolean = false): Child {
  if (/^https?:\/\/\S+$/.test(text) && text.length < longest) {
    const words = isShort && picture.test(name) ? 'picture' : isShort ? text.replace(/^https?:\/\/(www\.)?|\/$/g, '') : text;
    return h('a', { href: text, target: '_blank', rel: 'noreferrer noopener', title: isShort && text }, h('bdi', {}, words));
  }
  if (/(^|[_.])(phone|tel|telephone|mobile)(_number)?$/i.test(name) && /^\+?[\d ()./-]{5,}$/.test(text))
    return h('a', { href: `tel:${text.replaceAll(/[^+\d]/g, '')}` }, h('bdi', {}, text));
  return h('bdi', {}, text);
}

/** The list or object that a cell has as JSON. undefined: it is another text, or was cut off. */
export function nestedIn(text: string): object | undefined {
  return /^[[{]/.test(text) ? (parsedJson(text) as object | undefined) : undefined;
}

const fewItems = 3;

/** A cell of a table, in a line. */
export function cellText(name: string, cell: string): Child {
  const nested = nestedIn(cell);
  if (nested === undefined) return linkedText(name, cell, true);
  const tag = (text: string): HTMLElement => h('span', { class: 'tag' }, text);
  if (!Array.isArray(nested)) {
    const fields = Object.entries(nested).map(([field, value]) => (typeof value === 'object' ? field : `${field}: ${value}`));
    return fields.map(tag);
  }
  const items: readonly unknown[] = nested;
  if (items.some((one) => typeof one === 'object')) return tag(countOf(items.length, 'item'));
  const more = items.length - fewItems;
  return [
    ...items.slice(0, fewItems).map((one) => tag(typeof one === 'string' ? one : JSON.stringify(one))),
    more > 0 && `and ${more} more`,
  ];
}
