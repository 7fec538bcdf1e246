import type { FuzzTarget } from './fuzzing.ts';

/** Every target by its name; loaded only if it is fuzzed. */
export const fuzzTargets: Readonly<Record<string, () => Promise<FuzzTarget>>> = {
  api: async () => (await import('./targets/api.ts')).apiTarget(),
  expressions: async () => (await import('./targets/expressions.ts')).expressionsTarget(),
  'ledger-files': async () => (await import('./targets/ledger-files.ts')).ledgerFilesTarget(),
  mcp: async () => (await import('./targets/mcp.ts')).mcpTarget(),
  'otlp-json': async () => (await import('./targets/otlp.ts')).otlpTarget('json'),
  'otlp-protobuf': async () => (await import('./targets/otlp.ts')).otlpTarget('proto'),
  patches: async () => (await import('./targets/patches.ts')).patchesTarget(),
  policies: async () => (await import('./targets/policies.ts')).policiesTarget(),
  router: async () => (await import('./targets/router.ts')).routerTarget(),
};
