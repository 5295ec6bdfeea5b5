// The queue of a flow, looked at with bull-board: node index.mjs coffee redis://127.0.0.1:6379
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { ExpressAdapter } from '@bull-board/express';
import { Queue } from 'bullmq';
import express from 'express';
import { queueName } from 'trawler/bullmq';

const [flow = 'coffee', url = 'redis://127.0.0.1:6379'] = process.argv.slice(2);
const name = queueName({ name: flow });
const queue = new Queue(name, { connection: { url } });

// Read only: the leader of the flow decides what is retried, and a board that did so too would interfere.
const serverAdapter = new ExpressAdapter();
createBullBoard({ queues: [new BullMQAdapter(queue, { readOnlyMode: true })], serverAdapter });

// On loopback, since a board shows every query to whoever opens it.
express()
  .use(serverAdapter.getRouter())
  .listen(3000, '127.0.0.1', () => console.log(`http://127.0.0.1:3000 shows ${name}`));
