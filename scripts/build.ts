import { cpSync, globSync, rmSync } from 'node:fs';
import { runSteps } from './steps.ts';

/**
 * dist/: what the package ships. TypeScript compiles; SQL and what runs inside services are copied
 * beside it.
 */
rmSync('dist', { recursive: true, force: true });
const [compiled] = await runSteps([
  { name: 'compile', command: ['tsc', '-p', 'tsconfig.build.json'] },
]);
for (const file of globSync('src/**/*.{sql,cjs}', { exclude: ['**/fixtures/**'] }))
  cpSync(file, file.replace(/^src/, 'dist'));
process.exitCode = compiled?.ok ? 0 : 1;
