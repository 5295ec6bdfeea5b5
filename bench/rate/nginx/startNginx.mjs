import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** @type {typeof import('./startNginx.mjs').startNginx} */
export async function startNginx({ limits, backend }) {
  const folder = await mkdtemp(join(tmpdir(), 'nginx-'));
  const port = await freePort();
  const config = join(folder, 'nginx.conf');
  await writeFile(join(folder, 'response.json'), response);
  await writeFile(config, configOf(folder, port, limits, backend));
  const nginx = spawn('nginx', ['-p', folder, '-c', config, '-e', join(folder, 'error.log')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  nginx.stderr.on('data', (text) => (said += text));
  const over = once(nginx, 'exit');
  for (let tries = 0; !(await listens(port)); tries++) {
    if (nginx.exitCode !== null || tries > 200) throw new Error(`nginx did not start: ${said}`);
    await sleep(25);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      nginx.kill('SIGTERM');
      await over;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const response = JSON.stringify({
  code: 200,
  message: 'success',
  data: { suggestions: [{ value: 'tea' }] },
  requestId: '00000000-0000-4000-8000-000000000000',
  timestamp: 1_767_225_600_000,
});

/** Each limit is a path of its own, so that a client chooses one by its `pathPrefix`. */
function configOf(folder, port, limits, backend) {
  const zones = limits.filter(({ zone }) => zone !== '').map(({ name, zone }) => zone.replace('ZONE', `zone=${name}:1m`));
  const locations = limits.map(({ name, rules, slow }) => {
    const content = slow
      ? `proxy_pass ${backend}; proxy_http_version 1.1; proxy_set_header Connection "";`
      : 'try_files /response.json =404;';
    return `location /${name}/ { ${rules.replace('ZONE', `zone=${name}`).replace('CONN', name)} ${content} }`;
  });
  return `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off; worker_processes 1; pid ${folder}/nginx.pid;
events { worker_connections 512; }
http {
  access_log off; default_type application/json; keepalive_timeout 60s; keepalive_requests 1000000; client_body_temp_path ${folder}/b;
  proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  ${zones.join('\n  ')}
  server { listen 127.0.0.1:${port}; root ${folder}; ${locations.join('\n    ')} }
}
`;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

function listens(port) {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      done(true);
    });
    socket.on('error', () => done(false));
  });
}
