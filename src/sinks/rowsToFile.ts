import { Observable, Subject, takeUntil, type OperatorFunction } from 'rxjs';
import { currentDemand, withDemand } from '../../operators/demand/demandScope.ts';
import { DemandNode } from '../../operators/demand/DemandNode.ts';
import type { FileReport } from './FileReport.ts';
import type { OutputFile } from './OutputFile.ts';
import { streamFault } from './sinkFault.ts';

const mostRows = 1000;
const mostBytes = 1024 * 1024;

/**
 * The operator over an output. The file is opened, and so everything checked, before the source is subscribed. While
 * 1,000 rows or 1 MiB wait for the disk, everything above is held. An end that isn't completion leaves nothing at the path.
 */
export function rowsToFile<Row>(open: () => OutputFile): OperatorFunction<Row, FileReport> {
  return (source) =>
    new Observable((subscriber) => {
      const below = currentDemand();
      const node = new DemandNode(below);
      let file: OutputFile;
      try {
        file = open();
      } catch (error) {
        subscriber.error(error);
        return undefined;
      }
      const stop = new Subject<void>();
      let over = false;

      const abort = async (error: unknown): Promise<void> => {
        const left = await file.abort();
        subscriber.error(streamFault(file.path, error, left));
      };
      const fail = (error: unknown): void => {
        over = true;
        stop.next();
        void abort(error);
      };
      const finish = async (): Promise<void> => {
        over = true;
        try {
          const report = await file.finish();
          withDemand(below, () => subscriber.next(report));
          subscriber.complete();
        } catch (error) {
          fail(error);
        }
      };
      const isBehind = (): boolean => !over && (file.backlogRows >= mostRows / 2 || file.backlog >= mostBytes / 2);
      const hold = async (): Promise<void> => {
        node.hold();
        try {
          while (isBehind()) await file.flush();
        } catch (error) {
          if (!over) fail(error);
        }
        node.release();
      };

      withDemand(node, () =>
        source.pipe(takeUntil(stop)).subscribe({
          next(row) {
            try {
              file.write([row]);
            } catch (error) {
              fail(error);
              return;
            }
            if (!node.holding && (file.backlogRows >= mostRows || file.backlog >= mostBytes)) void hold();
          },
          error: fail,
          complete() {
            if (!over) void finish();
          },
        }),
      );

      return () => {
        over = true;
        stop.next();
        node.release();
        void file.abort(); // waits for the write in flight; nothing to do when all is finished
      };
    });
}
