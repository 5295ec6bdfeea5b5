// A small library over HTTP, for own-service.mjs: books by subject, page by page by the address of the next one, and the
// editions of each as a bare list, by page number from 1.
import { createServer } from 'node:http';

const pageOf = (list, page, size) => list.slice((page - 1) * size, page * size);
const booksOn = (subject) =>
  Array.from({ length: 17 }, (_, i) => ({ id: `${subject}-${i}`, title: `${subject} ${i}`, author: { name: `A. ${i}` } }));
const editionsOf = (book) => Array.from({ length: 5 }, (_, i) => ({ isbn: `${book}/${i}`, year: 1990 + i }));

export async function startLibrary() {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    const url = new URL(request.url, 'http://library');
    const page = Number(url.searchParams.get('page') ?? 1);
    const reply = (status, body) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.headers.authorization !== 'Bearer secret') return reply(401, { error: 'who are you?' });
    const book = /^\/v2\/books\/(.+)\/editions$/.exec(url.pathname)?.[1];
    if (book !== undefined) return reply(200, pageOf(editionsOf(decodeURIComponent(book)), page, 2));
    const subject = url.searchParams.get('subject');
    const results = pageOf(booksOn(subject), page, 5);
    return reply(200, { results, next: results.length < 5 ? null : `/v2/books?subject=${subject}&page=${page + 1}` });
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests: () => requests,
    close: () => (server.closeAllConnections(), new Promise((closed) => server.close(closed))),
  };
}
