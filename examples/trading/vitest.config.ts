import { defineConfig } from 'vitest/config';

/** The application's own unit tests, which need nothing but themselves. */
export default defineConfig({
  root: import.meta.dirname,
  test: {
    include: ['services/**/*.test.ts', 'shared/**/*.test.ts', 'traffic/**/*.test.ts'],
    // No test here touches what another one could see; a process for each would cost seconds.
    isolate: false,
  },
});
