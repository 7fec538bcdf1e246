import { enableCompileCache } from 'node:module';

// Before anything else is imported: most of a start is compiling.
enableCompileCache();

await import('./daemon-process.ts');
