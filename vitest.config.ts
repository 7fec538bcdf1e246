import { defineConfig } from 'vitest/config';

/** Each test file brings its own temporary directory or database, so files may run in parallel. */
export default defineConfig({
  test: {
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts'],
          exclude: ['src/keeper/**'],
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['tests/**/*.test.ts', 'src/keeper/**/*.test.ts', 'examples/**/*.test.ts'],
          globalSetup: ['tests/harness/postgres-global.ts'],
        },
      },
    ],
  },
});
