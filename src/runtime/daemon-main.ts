import { enableCompileCache } from 'node:module';

// Before all other imports, because compiling takes most of the start.
enableCompileCache();

await import('./daemon-process.ts');
