import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Rules about the code itself: they read files and start nothing. */
const rules = ['architecture', 'tidy', 'requirements', 'documented-commands', 'remedy-names'].map(
  (name) => `tests/${name}.test.ts`,
);

/** Tests with processes, threads, databases or whole exporters: not part of the inner loop. */
const processes = [
  'src/kernel/{compiled,files/directory-lock}.test.ts',
  'src/{confinement,keeper,router,preload,probes}/**/*.test.ts',
  'src/lanes/{baseline,change,host}/**/*.test.ts',
  'src/lanes/lane/lane-opening.test.ts',
  'src/ledger/sqlite/**/*.test.ts',
  'src/runtime/notices/notify.test.ts',
  'src/telemetry/{query,questions,store}/**/*.test.ts',
  'src/telemetry/otlp/{exporters,receivers}.test.ts',
  'src/verify/observe/{round,tls-scan}.test.ts',
  'src/verify/suites/**/*.test.ts',
  'benchmarks/*/**/*.test.ts',
];

/**
 * Each test file brings its own temporary directory or database, so files may run in parallel; and
 * leaves its process as it found it, so that the next one may run there.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    // Twice as many as the smallest machine has cores: much of a test is waiting for its processes.
    maxWorkers: 4,
    // A process and all imports anew for each file take longer than the tests of most files.
    isolate: false,
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // How long something takes is no part of any test: only one that fails waits for so long.
    expect: { poll: { timeout: 180_000, interval: 10 } },
    // Most of a test with processes is their start, and most of a start is compiling.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, '.cache', 'compiled') },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'benchmarks/**/*.test.ts', ...rules],
          exclude: processes,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['tests/**/*.test.ts', ...processes, 'examples/**/*.test.ts'],
          // Versions of this repository that a system in one of its folders has checked out.
          exclude: [...rules, '**/.surety/**'],
          globalSetup: [
            'tests/harness/bundle-global.ts',
            'tests/harness/postgres/postgres-global.ts',
          ],
        },
      },
    ],
  },
});
