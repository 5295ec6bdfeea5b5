import type { FaultAction } from './FaultAction.ts';

/** 200 with a page for people: a captcha, a maintenance notice. */
export function html(): FaultAction {
  const page = '<!doctype html>\n<html><body><h1>Checking your browser\u001b[31m …</h1></body></html>';
  return { play: (exchange) => exchange.send(200, page, { 'content-type': 'text/html; charset=utf-8' }) };
}
