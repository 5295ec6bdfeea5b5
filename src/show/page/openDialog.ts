import { h, type Child } from './dom.ts';

/** Opens a dialog with a title and a button that closes it. `closed` is called however it is closed. */
export function openDialog(title: string, closed: () => void, ...children: readonly Child[]): HTMLDialogElement {
  const close = h('button', { type: 'button', click: () => dialog.close() }, 'Close');
  const heading = h('div', { class: 'title' }, h('h2', { id: 'dialog-title' }, title), close);
  const ended = (): void => (dialog.remove(), closed());
  const dialog = h('dialog', { 'aria-labelledby': 'dialog-title', close: ended }, heading, children);
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
