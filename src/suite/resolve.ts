import module from 'node:module';

/**
 * Loaded into suites by NODE_OPTIONS=--import: `surety/suite` is found where Surety is, also by
 * suites of a system that has not installed it. One that has gets its own.
 */
const own = new URL(import.meta.url.endsWith('.ts') ? 'index.ts' : 'index.js', import.meta.url);

// Older versions of Node have it not: there a suite needs Surety among its packages.
module.registerHooks?.({
  resolve(specifier, context, next) {
    if (specifier !== 'surety/suite') return next(specifier, context);
    try {
      return next(specifier, context);
    } catch {
      return { url: own.href, shortCircuit: true };
    }
  },
});
