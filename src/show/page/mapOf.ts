import { mapX, mapY } from '../../../operators/split/Area.ts';
import type { ShownPoint, ShownTiles, TableInfo } from '../api.ts';
import { coordinatesIn } from '../../flow/report/columnNames.ts';
import { drawMap, mapBox, type DrawMapOptions } from '../../flow/report/drawMap.ts';
import { pointKinds } from '../../flow/report/pointKinds.ts';
import { go, hrefWith, runParams } from './address.ts';
import { h } from './dom.ts';
import { get } from './server.ts';
import { readText, showError } from './words.ts';

type Box = NonNullable<DrawMapOptions['box']>;

/** Shows the rows of a view on a map, if they have coordinates. It is drawn when it is opened. */
export async function mapOf(element: HTMLElement, table: TableInfo, view: URLSearchParams): Promise<void> {
  const columns = coordinatesIn(table.columns.map(({ name }) => name));
  const before = element.dataset['file'] === table.file ? element.querySelector('details') : null;
  element.dataset['file'] = table.file;
  if (columns === undefined) return element.replaceChildren();
  const colour = h(
    'select',
    { id: 'colour', change: () => void draw().catch(fail) },
    h('option', { value: '' }, 'nothing'),
    ...table.columns.map(({ name }) => h('option', { value: name }, name)),
  );
  colour.value = element.querySelector('select')?.value ?? '';
  const body = h('div');
  const fail = (error: unknown): void => showError(body, error);
  const draw = async (): Promise<void> => {
    const params = new URLSearchParams([...view, ['latitude', columns[0]], ['longitude', columns[1]]]);
    if (colour.value !== '') params.set('colour', colour.value);
    const [found, { tiles, rings }] = await Promise.all([
      get<readonly ShownPoint[]>('points', params, (read) => (body.textContent = readText(read))),
      get<ShownTiles>('tiles', runParams({ stage: table.stage ?? '' })),
    ]);
    const points = found.filter(([, lat, lon]) => Math.abs(lat) < 85.06 && Math.abs(lon) <= 180);
    const dots = points.map(([, lat, lon]) => [mapX(lon), mapY(lat)] as const);
    if (dots.length + tiles.length === 0) return body.replaceChildren(h('p', { class: 'mute' }, 'No row of this view has coordinates.'));
    const values = points.map(([, , , value]) => value);
    const coloured = colour.value === '' ? undefined : pointKinds(values, colour.value);
    const html = (box: Box, pixels: number): string =>
      drawMap(table.stage ?? table.file, { tiles, dots }, { rings, box, pixels, coloured });
    const openNear = (x: number, y: number, within: number): void => {
      const far = dots.map((dot) => Math.hypot(dot[0] - x, dot[1] - y));
      const nearest = far.indexOf(Math.min(...far));
      if (far[nearest]! <= within) go(hrefWith({ row: String(points[nearest]![0]) }));
    };
    const ratio = body.clientWidth < narrow ? 1 : undefined; // a phone has more room below than beside
    body.replaceChildren(movable(mapBox({ tiles, dots }, rings, ratio), html, openNear));
  };
  const choice = h('div', { class: 'choice' }, h('label', { for: 'colour' }, 'Colour by'), colour);
  const details = h('details', { open: before?.open === true }, h('summary', {}, 'Map'), choice, body);
  details.addEventListener('toggle', () => void (details.open && draw().catch(fail)));
  element.replaceChildren(details);
}

const [clickPixels, narrow] = [12, 600];
const keys: { readonly [key: string]: readonly [right: number, down: number, size: number] } = {
  ArrowLeft: [-0.2, 0, 1],
  ArrowRight: [0.2, 0, 1],
  ArrowUp: [0, -0.2, 1],
  ArrowDown: [0, 0.2, 1],
  '+': [0, 0, 0.5],
  '=': [0, 0, 0.5],
  '-': [0, 0, 2],
};

/** A map that can be dragged, and zoomed by the wheel, buttons or keys. `open` is called with the point of a click. */
function movable(home: Box, html: (box: Box, pixels: number) => string, open: (x: number, y: number, within: number) => void): HTMLElement {
  let box = home;
  const view = h('div', { class: 'movable', tabindex: 0, role: 'group', 'aria-label': 'Map. Arrows move it, + and - zoom, 0 shows all' });
  const draw = (): void => {
    view.innerHTML = html(box, Math.max(240, view.clientWidth - 18)); // inside the frame of the drawing
    view.classList.toggle('zoomed', box !== home);
  };
  /** Moves and zooms. Distances, and the point to zoom about, are shares of what is shown. */
  const move = (right: number, down: number, size: number, aboutX = 0.5, aboutY = 0.5): void => {
    const [width, height] = [box.right - box.left, box.bottom - box.top];
    const by = Math.min(size, 1 / width);
    const left = box.left + width * (right + aboutX * (1 - by));
    const top = box.top + height * (down + aboutY * (1 - by));
    box = { left, top, right: left + width * by, bottom: top + height * by };
    draw();
  };
  const all = (): void => {
    box = home;
    draw();
  };
  /** Where a pointer is on the map, as shares of what is shown. */
  const shares = ({ clientX, clientY }: MouseEvent): readonly [number, number] => {
    const { left, top, width, height } = view.querySelector('svg')!.getBoundingClientRect();
    return [(clientX - left) / width, (clientY - top) / height];
  };
  let grip: readonly [number, number] | undefined;
  view.addEventListener('pointerdown', (event) => {
    if (!(event.target as Element).closest('svg')) return;
    grip = shares(event);
    view.setPointerCapture(event.pointerId);
  });
  view.addEventListener('pointermove', (event) => {
    const svg = view.querySelector('svg')!;
    if (grip === undefined) return;
    const [x, y] = shares(event);
    const { width, height } = svg.viewBox.baseVal;
    svg.setAttribute('viewBox', `${(grip[0] - x) * width} ${(grip[1] - y) * height} ${width} ${height}`);
  });
  view.addEventListener('pointercancel', () => (grip = undefined));
  view.addEventListener('pointerup', (event) => {
    if (grip === undefined) return;
    const [[x, y], [fromX, fromY]] = [shares(event), grip];
    grip = undefined;
    const { width } = view.querySelector('svg')!.getBoundingClientRect();
    const size = box.right - box.left;
    if (Math.hypot(x - fromX, y - fromY) * width > 4) move(fromX - x, fromY - y, 1);
    else open(box.left + x * size, box.top + y * (box.bottom - box.top), (clickPixels / width) * size);
  });
  view.addEventListener('wheel', (event) => {
    // without focus and without Ctrl, the wheel scrolls the page
    if (!event.ctrlKey && document.activeElement !== view) return;
    event.preventDefault();
    move(0, 0, event.deltaY > 0 ? 1.25 : 0.8, ...shares(event));
  }, { passive: false }); // prettier-ignore
  view.addEventListener('keydown', (event) => {
    const step = keys[event.key];
    if (step === undefined && event.key !== '0') return;
    event.preventDefault();
    if (step === undefined) all();
    else move(...step);
  });
  const button = (text: string, label: string, click: () => void): HTMLElement =>
    h('button', { type: 'button', 'aria-label': label, click }, text);
  requestAnimationFrame(draw); // once it has its width
  return h(
    'div',
    { class: 'map-box' },
    view,
    h(
      'div',
      { class: 'zooms' },
      button('+', 'Zoom in', () => move(0, 0, 0.5)),
      button('−', 'Zoom out', () => move(0, 0, 2)),
      button('All', 'Show all', all),
    ),
  );
}
