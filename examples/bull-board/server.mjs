// bull-board over the queue of a flow, as it is: npm install && node server.mjs coffee redis://127.0.0.1:6379
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { Queue } from 'bullmq';
import express from 'express';
import { queueName } from 'trawler/bullmq';

const [name = 'coffee', url = 'redis://127.0.0.1:6379'] = process.argv.slice(2);
// Jobs show up once there is a worker. The leader moves them along; a board that could retry or remove them would get in its way.
const queue = new BullMQAdapter(new Queue(queueName({ name }), { connection: { url } }), { readOnlyMode: true });

const board = new ExpressAdapter();
createBullBoard({ queues: [queue], serverAdapter: board });
express()
  .use(board.getRouter())
  .listen(3000, '127.0.0.1', () => console.log(`http://127.0.0.1:3000 shows ${queueName({ name })}`));
