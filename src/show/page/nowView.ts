import type { RunState } from '../api.ts';
import { drawFlow } from '../../flow/report/drawFlow.ts';
import { drawHeadlines } from '../../flow/report/drawHeadlines.ts';
import { failureTable } from '../../flow/report/failuresByKind.ts';
import { escapeHtml, formatDuration, scrolled, stepList, formatMoney } from '../../flow/report/format.ts';
import type { Headline } from '../../flow/report/readHeadlines.ts';
import { withoutRows } from '../../flow/report/previewTable.ts';
import { completeness, figureTable, outcomeMeanings, stageBox, stageTable } from '../../flow/report/stageTable.ts';
import { hrefOf, runParams } from './address.ts';
import { drawn, h, setText } from './dom.ts';
import { progressHtml } from './figuresOf.ts';
import { get, post } from './server.ts';
import { moodOf } from './words.ts';
import { whySlow } from './whySlow.ts';
import { messageOf } from '../../errors/TrawlerError.ts';

const followMs = 1000;

/** Shows the state of the run, and follows it. */
export function showNow(element: HTMLElement): () => void {
  const params = runParams();
  const { elements, update, explain } = layOut(params);
  element.append(...elements);
  let timer: number | undefined;
  let isOver = false;
  const follow = async (): Promise<void> => {
    await get<RunState>('state', params).then(update, explain);
    if (!isOver) timer = window.setTimeout(() => void follow(), followMs);
  };
  void follow();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

interface Parts {
  readonly elements: readonly HTMLElement[];
  readonly update: (state: RunState) => void;
  /** Says why there is nothing, or nothing new. */
  readonly explain: (error: unknown) => void;
}

function layOut(params: URLSearchParams): Parts {
  const title = h('h1', {}, 'Loading…');
  const line = h('p', { class: 'told', role: 'status' });
  const badge = h('span', { class: 'badge' });
  const ending = h('p', { class: 'ending' });
  const progress = drawn('section', { class: 'progress', 'aria-label': 'Progress' });
  const steps = drawn('div');
  const buttons = h('div', { class: 'buttons' });
  const sections = {
    failures: section('Failures'),
    empty: section('Queries that found nothing'),
    why: section('Why isn’t it faster?'),
    flow: section('Flow'),
    waits: section('What waits'),
  };
  const drawing = drawn('div', { class: 'drawing', tabindex: 0, role: 'group', 'aria-label': 'The flow, with its counts' });
  const table = drawn('div', { class: 'scroll stages', tabindex: 0, role: 'group', 'aria-label': 'Stages' });
  const meanings = drawn('div', { class: 'meanings' });
  sections.flow.body.element.append(drawing.element, table.element, meanings.element);
  const headline = drawn('div');
  let headlinesOf: number | undefined; // when the run ended whose headlines are shown
  const showHeadlines = ({ phase, endedAt }: RunState): void => {
    if (phase !== 'done' || endedAt === headlinesOf) return;
    headlinesOf = endedAt;
    get<readonly Headline[]>('headlines', params).then(
      (all) => headline.draw(drawHeadlines(all)),
      (error: unknown) => headline.draw(`<p class="bad">${escapeHtml(messageOf(error))}</p>`),
    );
  };
  let isShown = false;
  const update = (state: RunState): void => {
    isShown = true;
    setText(line, '');
    setText(title, state.flow);
    setText(ending, state.ending);
    const { phase, outcome = 'complete', update: isUpdate } = state;
    const ended = phase === 'done' && outcome !== 'complete' ? [outcome] : [];
    setText(badge, [phase, ...(isUpdate ? ['an update'] : []), ...ended].join(', '));
    badge.className = `badge ${moodOf(phase, outcome)}`;
    progress.draw(progressHtml(state));
    steps.draw(stepsHtml(state));
    showButtons(buttons, state, line);
    setText(sections.why.heading, phase === 'running' ? 'Why isn’t it faster?' : 'Why wasn’t it faster?');
    sections.why.draw(whyHtml(whySlow(state)));
    sections.flow.show(state.stages.length > 0);
    drawing.element.classList.toggle('moving', phase === 'running');
    drawing.draw(drawFlow(state.stages.map((stage) => stageBox(stage, phase === 'running'))));
    table.draw(stageTable(state.stages, phase === 'running'));
    // the outcome of the run itself is explained above
    const others = state.stages.filter((stage) => phase !== 'done' || stage.outcome !== outcome);
    meanings.draw(phase === 'running' ? '' : outcomeMeanings(others));
    sections.failures.draw(state.failures.length === 0 ? '' : scrolled(failureTable(state.failures, 0), 'Failures'));
    sections.empty.draw(withoutRows(state.stages, (file) => allIn(file, phase === 'done')));
    showHeadlines(state);
    sections.waits.draw(waitsHtml(state));
  };
  const explain = (error: unknown): void => {
    if (!isShown) setText(title, 'No run here yet');
    line.className = isShown ? 'told bad' : 'told';
    setText(line, messageOf(error));
  };
  const all = Object.values(sections).map(({ element }) => element);
  return {
    elements: [
      h('div', { class: 'title' }, title, badge),
      ending,
      line,
      headline.element,
      progress.element,
      steps.element,
      buttons,
      ...all,
    ],
    update,
    explain,
  };
}

/** A part of the page with a heading, which is hidden while it is empty. */
function section(name: string): {
  element: HTMLElement;
  heading: HTMLElement;
  body: ReturnType<typeof drawn>;
  draw: (html: string) => void;
  show: (is: boolean) => void;
} {
  const body = drawn('div');
  const heading = h('h2', {}, name);
  const element = h('section', { hidden: true }, heading, body.element);
  const show = (is: boolean): void => void (element.hidden = !is);
  return {
    element,
    heading,
    body,
    show,
    draw(html) {
      show(html !== '');
      body.draw(html);
    },
  };
}

function whyHtml(text: string): string {
  // browsers break a line after the hyphens of an option
  return text === '' ? '' : `<p class="why">${escapeHtml(text).replace(/--[a-z]+/g, '<span class="nowrap">$&</span>')}</p>`;
}

/** Whether the run is complete, and what to do. */
function stepsHtml({ steps, notes, phase, outcome, stages }: RunState): string {
  const isOver = phase === 'done' && outcome !== undefined;
  const ended = isOver ? outcome : phase === 'stopped' || phase === 'lost' ? 'interrupted' : undefined;
  const all = [...notes, ...(ended === undefined ? [] : [{ text: completeness(ended, stages), command: undefined }]), ...steps];
  if (all.length === 0) return '';
  return `<h2>${phase === 'running' ? 'So far' : 'Is it complete?'}</h2>${stepList(all)}`;
}

function allIn(file: string, isOver: boolean): string {
  return (
    `<p class="mute">All of them are in <a ` +
    `href="${escapeHtml(hrefOf('data', { file }))}">${file}</a>${isOver ? '' : ', once the run is done'}.</p>`
  );
}

function waitsHtml({ live }: RunState): string {
  if (live === undefined || live.waits.length === 0) return '';
  const rows = live.waits.map(({ operation, state, for: reason, count, ms, path }) => {
    const what = state === 'in flight' ? 'in flight' : `waits${reason === undefined ? '' : ` for ${reason}`}`;
    return { about: escapeHtml(operation), cells: [count, what, formatDuration(ms), path.join(' → ')] };
  });
  return scrolled(figureTable('operation', ['requests', 'state', 'oldest', 'on its way to'], rows), 'What waits', 'stages');
}

/** Shows each button with what a click costs, or why it can't be clicked. Elements are reused, so that a button keeps the focus. */
function showButtons(element: HTMLElement, { buttons, price }: RunState, line: HTMLElement): void {
  const names = buttons.map(({ name }) => name).join(' ');
  if (element.dataset['names'] !== names) {
    element.dataset['names'] = names;
    element.replaceChildren(
      ...buttons.map(({ name, label }) => {
        const click = (): void => {
          post('click', new URLSearchParams({ button: name })).catch((error: unknown) => setText(line, messageOf(error)));
        };
        return h(
          'p',
          {},
          h('button', { type: 'button', click, 'aria-describedby': `says-${name}` }, label),
          h('span', { id: `says-${name}`, class: 'mute' }),
        );
      }),
    );
  }
  for (const [index, { says, enabled, requests = 0 }] of buttons.entries()) {
    const row = element.children[index]!;
    row.querySelector('button')!.disabled = !enabled;
    const money = price === undefined || requests === 0 ? '' : ` That is at least ${formatMoney(requests, price)}.`;
    setText(row.querySelector('span')!, says + money);
  }
}
