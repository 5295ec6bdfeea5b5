import { takeOnlySince } from '../../client/attachStore.ts';
import type { Flow } from '../definition/Flow.ts';
import type { packageFile, reportFile } from '../state/FlowFolder.ts';
import { FlowStore, type FlowStoreOptions } from '../state/FlowStore.ts';
import { adoptUpdate, completeUpdate, isRetried, openUpdate, updateUnderWay } from '../update/openUpdate.ts';
import type { FlowClient } from './FlowClient.ts';
import type { StageChanges } from './FlowProgress.ts';

/**
 * What a run does in its folder, by what it finds there. `crawl`: it requests what is left. `repeat`: everything was done
 * before, so it sends no request and only makes what is missing. `update`: everything was done before and is brought up to date,
 * by a run of its own inside the folder that takes its place at the end.
 */
export interface RunPlan {
  readonly kind: 'crawl' | 'repeat' | 'update';
  /** Where the run works. */
  readonly store: FlowStore;
  /** The run whose files are in place until then. */
  readonly main: FlowStore;
  /** What to know before the first request. */
  readonly notices: readonly string[];
  /** An update is under way, by this run or another. */
  readonly hasUpdate: boolean;
  /** Completes the files. Returns what an update has changed. */
  readonly complete: () => Promise<readonly StageChanges[] | undefined>;
  /** Whether the run writes a file about itself, such as its report. */
  readonly writes: (file: typeof packageFile | typeof reportFile) => boolean;
  /** Puts what is complete in its place, after everything else. */
  readonly adopt: () => Promise<void>;
  readonly close: () => Promise<void>;
}

interface OpenRunOptions extends Omit<FlowStoreOptions, 'retry' | 'last' | 'replaceChanged'> {
  readonly client: FlowClient;
  readonly outDir: string;
}

/** Opens the folder of a run, and decides what to do there. `keepsResponses`: responses are stored, so a changed flow can start over. */
export async function openRun(flow: Flow, options: OpenRunOptions, keepsResponses: boolean): Promise<RunPlan> {
  const replaceChanged = keepsResponses && options.resume !== false;
  const main = await FlowStore.open(flow, options.outDir, { ...options, update: false, replaceChanged });
  try {
    const isFinished = main.history.finished !== undefined;
    const isUpdate = isFinished && (options.update === true || (options.failures === true && isRetried(main)));
    return isUpdate ? await planUpdate(flow, main, options) : await planCrawl(main, isFinished);
  } catch (error) {
    await main.close();
    throw error;
  }
}

async function planCrawl(main: FlowStore, isFinished: boolean): Promise<RunPlan> {
  const begun = await updateUnderWay(main);
  return {
    kind: isFinished ? 'repeat' : 'crawl',
    store: main,
    main,
    notices: [...main.notices, ...(begun === undefined ? [] : [begun])],
    hasUpdate: begun !== undefined,
    async complete() {
      await main.finish();
      return undefined;
    },
    writes: (file) => !isFinished || !main.has(file),
    adopt: () => Promise.resolve(),
    close: () => main.close(),
  };
}

async function planUpdate(flow: Flow, main: FlowStore, options: OpenRunOptions): Promise<RunPlan> {
  await main.finish(); // its files may lack their names after a crash, and are to be whole while the update runs
  const store = await openUpdate(flow, main, options);
  // Responses stored before the update began are the ones to bring up to date.
  const takeAll = takeOnlySince(options.client, store.history.startedAt);
  return {
    kind: 'update',
    store,
    main,
    notices: [...main.notices, ...store.notices],
    hasUpdate: true,
    complete: () => completeUpdate(flow, store, main.folder),
    writes: () => true,
    adopt: () => adoptUpdate(flow, store, main.folder),
    async close() {
      takeAll();
      await store.close();
      await main.close();
    },
  };
}
