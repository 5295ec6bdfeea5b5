import type { FaultAction } from './FaultAction.ts';
import { networkFault, type NetworkFaultOptions } from './networkFault.ts';

/** Headers, or a body, that never end, as fast as they are taken. */
export function flood({ at }: NetworkFaultOptions): FaultAction {
  const body = at === 'body';
  return networkFault(
    at,
    ({ socket }) => {
      const kilobyte = 'x'.repeat(1024);
      const piece = body ? `400\r\n${kilobyte}\r\n` : `x-flood: ${kilobyte}\r\n`;
      const pour = (): void => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.on('drain', pour);
      socket.write(body ? '\r\n' : at === 'headers' ? '\r\n' : 'HTTP/1.1 200 OK\r\n');
      pour();
    },
    true,
  );
}
