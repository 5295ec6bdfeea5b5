import type { ShownTiles, TableInfo } from '../api.ts';
import { drawMap } from '../../flow/report/drawMap.ts';
import { go, hrefWith } from './address.ts';
import { h } from './dom.ts';
import { get } from './server.ts';
import { readText, showError } from './words.ts';

type Point = readonly [n: number, latitude: number, longitude: number];

const latitudeName = /^(.*\.)?(lat|latitude)$/i;
const longitudeNames = ['lon', 'lng', 'long', 'longitude'];

/** Shows the rows of a view on a map, if they have coordinates. It is drawn when it is opened. */
export async function mapOf(element: HTMLElement, table: TableInfo, view: URLSearchParams): Promise<void> {
  const columns = coordinatesOf(table);
  const open = element.querySelector('details')?.open === true && element.dataset['file'] === table.file;
  element.dataset['file'] = table.file;
  if (columns === undefined) return element.replaceChildren();
  const body = h('div', { click: (event) => openRow(event) });
  let points: readonly Point[] = [];
  const openRow = ({ target }: Event): void => {
    const at = Array.from(body.querySelectorAll('.row')).indexOf(target as Element);
    const point = points[at];
    if (point !== undefined) go(hrefWith({ row: String(point[0]) }));
  };
  const draw = async (): Promise<void> => {
    const params = new URLSearchParams([...view, ['latitude', columns.latitude], ['longitude', columns.longitude]]);
    const [found, searched] = await Promise.all([
      get<readonly Point[]>('points', params, (read) => (body.textContent = readText(read))),
      get<ShownTiles>('tiles', new URLSearchParams({ run: params.get('run') ?? '', stage: table.stage ?? '' })),
    ]);
    points = found.filter(([, lat, lon]) => Math.abs(lat) < 85.06 && Math.abs(lon) <= 180);
    const dots = points.map(([, lat, lon]) => [x(lon), y(lat)] as const);
    const map = drawMap(table.stage ?? table.file, { tiles: searched.tiles, dots }, { rings: searched.rings });
    body.innerHTML = map === '' ? '<p class="mute">No row of this view has coordinates.</p>' : map;
  };
  const details = h('details', { open }, h('summary', {}, 'Map'), body);
  details.addEventListener('toggle', () => void (details.open && draw().catch((error: unknown) => showError(body, error))));
  element.replaceChildren(details);
}

function coordinatesOf({ columns }: TableInfo): { readonly latitude: string; readonly longitude: string } | undefined {
  for (const { name } of columns) {
    const match = latitudeName.exec(name);
    if (match === null) continue;
    const before = match[1] ?? '';
    const other = columns.find((one) => longitudeNames.some((end) => one.name.toLowerCase() === `${before}${end}`.toLowerCase()));
    if (other !== undefined) return { latitude: name, longitude: other.name };
  }
  return undefined;
}

/** Positions on a map of size 1, from the north-west. */
function x(longitude: number): number {
  return (longitude + 180) / 360;
}

function y(latitude: number): number {
  const sine = Math.sin((latitude * Math.PI) / 180);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}
