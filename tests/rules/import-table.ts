const features = [
  'ledger',
  'gate',
  'drift',
  'system',
  'keeper',
  'router',
  'lanes',
  'telemetry',
  'verify',
  'probes',
  'investigate',
  'preload',
];

/** Which folders of src a folder may import besides itself. A new arrow needs a decision record. */
export const arrows: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  // Runs inside other people's services, where nothing of ours is installed.
  preload: [],

  drift: ['kernel', 'ledger'],
  gate: ['kernel', 'ledger'],
  investigate: ['kernel', 'ledger', 'system', 'lanes', 'telemetry', 'probes', 'verify'],
  keeper: ['kernel'],
  lanes: ['kernel', 'system', 'ledger'],
  ledger: ['kernel'],
  probes: ['kernel'],
  router: ['kernel'],
  system: ['kernel'],
  telemetry: ['kernel'],
  verify: ['kernel', 'ledger', 'system', 'lanes', 'telemetry'],

  http: ['kernel', ...features],
  // A client of the daemon, like the command line: it asks through the same client.
  mcp: ['kernel', 'http'],
  // The entry of the process: it finds the place, reads the configuration and starts the rest.
  cli: ['kernel', ...features, 'http', 'mcp', 'runtime'],

  runtime: ['kernel', ...features, 'http'],
};

/** Files besides index.ts by which a folder may be entered, and from which folders. */
export const doors: Readonly<Record<string, readonly string[]>> = {
  'http/api.ts': ['runtime'],
  'http/contract.ts': ['cli', 'runtime'],
  'ledger/postgres/store.ts': ['runtime'],
  'ledger/sqlite/store.ts': ['runtime'],
  // Single files, so that a command that asks one question does not load the daemon.
  'runtime/doctor.ts': ['cli'],
  'runtime/identities.ts': ['cli'],
  'runtime/ledger-reader.ts': ['cli'],
  'runtime/load-config.ts': ['cli'],
  'runtime/open-store.ts': ['cli'],
  'runtime/place.ts': ['cli'],
  'runtime/projections.ts': ['cli'],
  'runtime/state-files.ts': ['cli'],
  'runtime/version.ts': ['cli'],
};

/** What stands behind a port. Not even the folder with the port knows it; the runtime chooses. */
export const adapters: readonly string[] = ['ledger/postgres', 'ledger/sqlite'];

/** Which npm packages are imported where, in a folder and all below it. Nothing else is. */
export const packages: Readonly<Record<string, readonly string[]>> = {
  cli: ['commander'],
  http: ['hono', 'zod'],
  'ledger/postgres': ['pg'],
  mcp: ['@modelcontextprotocol/server', 'zod'],
  probes: ['acorn'],
  runtime: ['@hono/node-server', 'hono'],
  system: ['yaml', 'zod'],
};

/** What tests may import besides. */
export const testPackages: readonly string[] = ['canonicalize', 'fast-check', 'vitest'];
