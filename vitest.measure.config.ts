import base from './vitest.config.ts';
import { mergeConfig, defineConfig } from 'vitest/config';
export default mergeConfig(base, defineConfig({ test: { setupFiles: ['/tmp/suite/cpuSetup.ts'], maxWorkers: 1, fileParallelism: false } }));
